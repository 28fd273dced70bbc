package org.testng.xml;

import java.util.List;

public class XmlClass {
    public XmlClass(String name, int index) {}

    public void setIncludedMethods(List<XmlInclude> methods) {}
}
