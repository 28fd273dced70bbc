package org.testng;

public interface ITestNGMethod {
    ITestClass getTestClass();

    String getMethodName();

    String[] getGroups();

    String[] getGroupsDependedUpon();

    String[] getMethodsDependedUpon();

    boolean isBeforeSuiteConfiguration();

    boolean isBeforeTestConfiguration();

    boolean isBeforeGroupsConfiguration();
}
