package org.junit.platform.engine;

import java.util.Optional;

public interface TestEngine {
    String getId();

    Optional<String> getVersion();
}
