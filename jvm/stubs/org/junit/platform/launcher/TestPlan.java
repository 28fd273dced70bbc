package org.junit.platform.launcher;

import java.util.Optional;
import java.util.Set;

public class TestPlan {
    public Set<TestIdentifier> getRoots() {
        return null;
    }

    public Set<TestIdentifier> getChildren(TestIdentifier parent) {
        return null;
    }

    public Optional<TestIdentifier> getParent(TestIdentifier child) {
        return null;
    }
}
