package catchment.driver;

/** A unit that can be run alone: tests of one name, a branch of the tree, or a whole class. */
final class JUnit4Unit {
    final String id;
    final String className;
    final String name;
    /** Why it is no single test; null if it is one. */
    String shared;
    private final boolean isGroup;

    JUnit4Unit(String id, String className, String name, boolean isGroup, String shared) {
        this.id = id;
        this.className = className;
        this.name = name;
        this.isGroup = isGroup;
        this.shared = shared;
    }

    /** Has several parts, so that its end is only seen when something else begins. */
    boolean isGroup() {
        return isGroup || shared != null;
    }
}
