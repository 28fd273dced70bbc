package org.junit.platform.launcher.core;

import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.Filter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;

public final class LauncherDiscoveryRequestBuilder {
    public static LauncherDiscoveryRequestBuilder request() {
        return null;
    }

    public LauncherDiscoveryRequestBuilder selectors(List<? extends DiscoverySelector> selectors) {
        return null;
    }

    public LauncherDiscoveryRequestBuilder filters(Filter<?>... filters) {
        return null;
    }

    public LauncherDiscoveryRequestBuilder configurationParameter(String key, String value) {
        return null;
    }

    public LauncherDiscoveryRequest build() {
        return null;
    }
}
