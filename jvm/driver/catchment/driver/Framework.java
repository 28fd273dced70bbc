package catchment.driver;

import java.util.List;

/**
 * One way to run tests. Units go to {@code catchment.runtime.Worker} as they are found and as they run.
 *
 * <p>A unit is the smallest thing that can be run again alone. Its id must mean the same in every JVM with this class
 * path.
 */
interface Framework {
    /** Name and version, for people. */
    String description();

    /** Names the units of these classes. */
    void discover(List<String> classes);

    /** Runs all units of these classes, in this order, and says of each when it begins and ends. */
    void suite(List<String> classes);

    /** Runs one unit with all that belongs to it: set-up and tear-down of its class too. */
    Verdict test(String unit);

    /** Nothing follows. */
    default void close() {}
}
