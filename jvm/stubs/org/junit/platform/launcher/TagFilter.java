package org.junit.platform.launcher;

public final class TagFilter {
    public static PostDiscoveryFilter includeTags(String... tagExpressions) {
        return null;
    }

    public static PostDiscoveryFilter excludeTags(String... tagExpressions) {
        return null;
    }
}
