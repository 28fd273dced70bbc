package org.junit.platform.engine.support.descriptor;

import org.junit.platform.engine.TestSource;

public class ClassSource implements TestSource {
    public final String getClassName() {
        return null;
    }
}
