package acme;

public class Shop {
    static int failed;

    public static void main(String[] args) {
        try {
            sold(quiet(args.length));
        } catch (StoreException e) {
            failed++;
        }
        try {
            Till.check(args.length);
        } catch (Till.Wrong e) {
            failed++;
        }
    }

    public static int sold(int count) throws StoreException {
        try {
            return new Till(new Store()).sell(count);
        } catch (StoreException.Empty e) {
            return 0;
        }
    }

    static class Odd extends RuntimeException {
    }

    static int quiet(int count) {
        try {
            return count + 1;
        } catch (Odd e) {
            return 0;
        }
    }

    static void unused() {
        try {
            Till.check(0);
        } catch (Till.Wrong e) {
            failed++;
        }
    }
}

class StoreException extends Exception {
    static class Empty extends StoreException {
    }
}

class Store {
    int read(int count) throws StoreException {
        return count;
    }

    int count(int from) throws StoreException {
        if (from < 0) {
            throw new StoreException();
        }
        return read(from);
    }
}

class Till {
    static class Wrong extends Exception {
    }

    private final Store store;

    Till(Store store) {
        this.store = store;
    }

    int sell(int count) throws StoreException {
        if (count == 0) {
            throw new StoreException.Empty();
        }
        return store.count(count);
    }

    static void check(int count) throws Wrong {
        if (count > 1) {
            check(count - 1);
        }
        if (count == 0) {
            throw new Wrong();
        }
    }
}
