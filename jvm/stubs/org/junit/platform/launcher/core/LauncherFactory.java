package org.junit.platform.launcher.core;

import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherSession;

public class LauncherFactory {
    public static LauncherSession openSession() {
        return null;
    }

    public static Launcher create() {
        return null;
    }
}
