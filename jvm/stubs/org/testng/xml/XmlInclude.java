package org.testng.xml;

public class XmlInclude {
    public XmlInclude(String name) {}
}
