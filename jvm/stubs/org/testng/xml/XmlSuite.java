package org.testng.xml;

public class XmlSuite {
    public void setName(String name) {}

    public void setDataProviderThreadCount(int count) {}
}
