package catchment.driver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The {@code key=value} arguments behind the framework's name. A key may be given several times. */
final class Arguments {
    /** Tag expressions, categories or groups; a test needs one of them. */
    static final String INCLUDE_TAGS = "includeTags";
    static final String EXCLUDE_TAGS = "excludeTags";
    /** Ids of engines of the JUnit Platform. */
    static final String INCLUDE_ENGINES = "includeEngines";
    static final String EXCLUDE_ENGINES = "excludeEngines";
    /** {@code parameter=name=value}: configuration parameters of the JUnit Platform. */
    static final String PARAMETER = "parameter";

    /** {@code property=name=value}: system properties to set before anything else. */
    private static final String PROPERTY = "property";

    private static final List<String> KEYS =
            Arrays.asList(INCLUDE_TAGS, EXCLUDE_TAGS, INCLUDE_ENGINES, EXCLUDE_ENGINES, PARAMETER, PROPERTY);

    private final Map<String, List<String>> values = new HashMap<>();

    Arguments(List<String> arguments) {
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            String key = equals < 0 ? argument : argument.substring(0, equals);
            if (equals < 0 || !KEYS.contains(key)) {
                throw new Unusable("the driver does not know the argument " + argument);
            }
            values.computeIfAbsent(key, any -> new ArrayList<>()).add(argument.substring(equals + 1));
        }
    }

    List<String> all(String key) {
        return values.getOrDefault(key, new ArrayList<>());
    }

    void setProperties() {
        for (String property : all(PROPERTY)) {
            int equals = property.indexOf('=');
            if (equals > 0) {
                System.setProperty(property.substring(0, equals), property.substring(equals + 1));
            }
        }
    }

    String[] array(String key) {
        return all(key).toArray(new String[0]);
    }
}
