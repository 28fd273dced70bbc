package org.junit.platform.engine.discovery;

public final class DiscoverySelectors {
    public static ClassSelector selectClass(Class<?> selected) {
        return null;
    }

    public static UniqueIdSelector selectUniqueId(String uniqueId) {
        return null;
    }
}
