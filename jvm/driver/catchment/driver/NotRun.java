package catchment.driver;

/** Why nothing, or not all, of a unit has run. Holds a text only: nobody has failed. */
final class NotRun extends RuntimeException {
    NotRun(String why) {
        super(why, null, false, false);
    }

    static NotRun gone(String unit) {
        return new NotRun("there is no test " + unit + " any more");
    }
}
