package org.junit.platform.launcher;

public interface LauncherSession extends AutoCloseable {
    Launcher getLauncher();

    @Override
    void close();
}
