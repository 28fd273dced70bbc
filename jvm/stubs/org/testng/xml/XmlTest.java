package org.testng.xml;

import java.util.List;

public class XmlTest {
    public XmlTest(XmlSuite suite) {}

    public void setName(String name) {}

    public void setXmlClasses(List<XmlClass> classes) {}

    public void setIncludedGroups(List<String> groups) {}

    public void setExcludedGroups(List<String> groups) {}
}
