package org.testng;

import java.util.List;

public interface ISuite {
    List<ITestNGMethod> getAllMethods();
}
