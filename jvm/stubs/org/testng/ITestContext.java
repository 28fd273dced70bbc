package org.testng;

public interface ITestContext {}
