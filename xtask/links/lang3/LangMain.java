package subjects;

import java.text.ParseException;
import java.util.Calendar;
import java.util.Date;
import org.apache.commons.lang3.ArrayUtils;
import org.apache.commons.lang3.ClassUtils;
import org.apache.commons.lang3.StringUtils;
import org.apache.commons.lang3.builder.ToStringBuilder;
import org.apache.commons.lang3.builder.ToStringStyle;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.apache.commons.lang3.math.NumberUtils;
import org.apache.commons.lang3.time.DateUtils;
import org.apache.commons.lang3.time.FastDateFormat;
import org.apache.commons.lang3.tuple.Pair;

/** Some of commons-lang3, as a small program would use it. */
public class LangMain {
    public static void main(String[] arguments) {
        System.out.println(StringUtils.join(StringUtils.split(" a b  c ", ' '), '+') + StringUtils.repeat("x", 3));
        System.out.println(StringUtils.getLevenshteinDistance("river", "rivet") + StringUtils.capitalize("delta"));
        System.out.println(ArrayUtils.toString(ArrayUtils.addAll(new int[] {1}, 2, 3)));
        System.out.println(ClassUtils.getAllInterfaces(StringBuilder.class));
        System.out.println(Pair.of("left", 2).compareTo(Pair.of("left", 3)));
        System.out.println(new ToStringBuilder(arguments, ToStringStyle.SHORT_PREFIX_STYLE).append("size", 1).build());
        System.out.println(date("2024-02-30") + " " + date("2024-02-28"));
        System.out.println(number("0x1F") + number("1e3") + number("none"));
        System.out.println(ExceptionUtils.getRootCauseMessage(new IllegalStateException(new RuntimeException("root"))));
    }

    private static String date(String text) {
        try {
            Date date = DateUtils.parseDateStrictly(text, "yyyy-MM-dd");
            return FastDateFormat.getInstance("EEE").format(DateUtils.truncate(date, Calendar.MONTH));
        } catch (ParseException wrong) {
            return "no date";
        }
    }

    private static double number(String text) {
        try {
            return NumberUtils.createNumber(text).doubleValue();
        } catch (NumberFormatException wrong) {
            return 0;
        }
    }
}
