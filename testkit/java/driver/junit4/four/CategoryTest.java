package four;

import org.junit.Test;
import org.junit.experimental.categories.Category;

public class CategoryTest {
    public interface Slow {}

    public static final class VerySlow implements Slow {}

    @Test
    @Category(VerySlow.class)
    public void slow() {}

    @Test
    public void fast() {}
}
