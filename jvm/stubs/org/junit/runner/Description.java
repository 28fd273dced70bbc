package org.junit.runner;

import java.lang.annotation.Annotation;
import java.util.ArrayList;

public class Description {
    public String getDisplayName() {
        return null;
    }

    public ArrayList<Description> getChildren() {
        return null;
    }

    public <T extends Annotation> T getAnnotation(Class<T> type) {
        return null;
    }

    public Class<?> getTestClass() {
        return null;
    }
}
