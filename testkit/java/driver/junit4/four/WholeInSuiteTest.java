package four;

import org.junit.runner.RunWith;
import org.junit.runners.Suite;

/** One of its branches cannot be cut. */
@RunWith(Suite.class)
@Suite.SuiteClasses({WholeTest.class, EnclosedTest.First.class})
public class WholeInSuiteTest {}
