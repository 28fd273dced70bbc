package org.testng;

import java.util.List;
import org.testng.xml.XmlSuite;

public class TestNG {
    public TestNG(boolean useDefaultListeners) {}

    public void addListener(Object listener) {}

    public void addListener(ITestNGListener listener) {}

    public void setVerbose(int level) {}

    public void setXmlSuites(List<XmlSuite> suites) {}

    public void run() {}
}
