package org.junit.platform.launcher;

import org.junit.platform.engine.Filter;
import org.junit.platform.engine.TestEngine;

public class EngineFilter implements Filter<TestEngine> {
    public static EngineFilter includeEngines(String... engineIds) {
        return null;
    }

    public static EngineFilter excludeEngines(String... engineIds) {
        return null;
    }
}
