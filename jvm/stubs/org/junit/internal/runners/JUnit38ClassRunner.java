package org.junit.internal.runners;

import junit.framework.Test;
import org.junit.runner.Description;
import org.junit.runner.Runner;
import org.junit.runner.notification.RunNotifier;

public class JUnit38ClassRunner extends Runner {
    public JUnit38ClassRunner(Test test) {}

    @Override
    public Description getDescription() {
        return null;
    }

    @Override
    public void run(RunNotifier notifier) {}
}
