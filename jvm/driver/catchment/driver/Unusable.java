package catchment.driver;

/** The framework cannot work with this class path; the message is one line that says what to add or change. */
final class Unusable extends RuntimeException {
    Unusable(String what) {
        super(what, null, false, false);
    }
}
