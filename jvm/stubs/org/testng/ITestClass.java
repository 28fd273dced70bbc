package org.testng;

public interface ITestClass extends IClass {}
