package catchment.driver;

import java.util.ArrayList;
import java.util.List;
import org.junit.experimental.categories.Category;
import org.junit.runner.Description;
import org.junit.runner.manipulation.Filter;

/** Keeps tests by the categories of their method and class. A subtype of a category is in it too. */
final class CategoryFilter extends Filter {
    private final List<Class<?>> included;
    private final List<Class<?>> excluded;

    private CategoryFilter(List<Class<?>> included, List<Class<?>> excluded) {
        this.included = included;
        this.excluded = excluded;
    }

    /** Null when the arguments name no category. */
    static CategoryFilter of(Arguments arguments) {
        List<Class<?>> included = categories(arguments.all(Arguments.INCLUDE_TAGS));
        List<Class<?>> excluded = categories(arguments.all(Arguments.EXCLUDE_TAGS));
        return included.isEmpty() && excluded.isEmpty() ? null : new CategoryFilter(included, excluded);
    }

    /** Names, alone or in lists; other expressions are not understood. */
    private static List<Class<?>> categories(List<String> lists) {
        List<Class<?>> categories = new ArrayList<>();
        for (String list : lists) {
            for (String name : list.split("\\s*(,|\\|+)\\s*")) {
                try {
                    categories.add(Classes.load(name.trim()));
                } catch (ClassNotFoundException | LinkageError absent) {
                    throw new Unusable("the category " + name.trim() + " is not a class on the class path: name categories in full");
                }
            }
        }
        return categories;
    }

    @Override
    public boolean shouldRun(Description description) {
        List<Description> children = description.getChildren();
        if (!children.isEmpty()) {
            return children.stream().anyMatch(this::shouldRun);
        }
        List<Class<?>> own = categoriesOf(description);
        return (included.isEmpty() || isOneOf(own, included)) && !isOneOf(own, excluded);
    }

    private static List<Class<?>> categoriesOf(Description test) {
        List<Class<?>> found = new ArrayList<>();
        add(test.getAnnotation(Category.class), found);
        for (Class<?> each = test.getTestClass(); each != null; each = each.getSuperclass()) {
            add(each.getAnnotation(Category.class), found);
        }
        return found;
    }

    private static void add(Category category, List<Class<?>> found) {
        if (category != null) {
            for (Class<?> each : category.value()) {
                found.add(each);
            }
        }
    }

    private static boolean isOneOf(List<Class<?>> own, List<Class<?>> wanted) {
        return wanted.stream().anyMatch(each -> own.stream().anyMatch(each::isAssignableFrom));
    }

    @Override
    public String describe() {
        return "categories";
    }
}
