package io.sluice.hook;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The ranges that Cassandra plans to fetch, read from its {@code RangeStreamer}, and the marks in
 * {@code system.available_ranges_v2}. Uses reflection only: this jar is compiled without Cassandra. Immutable.
 */
final class CassandraRanges implements BootstrapHold.Marks {
    static final String RANGE_STREAMER = "org.apache.cassandra.dht.RangeStreamer";
    private static final String FETCH_REPLICA = RANGE_STREAMER + "$FetchReplica";
    private static final String REPLICA = "org.apache.cassandra.locator.Replica";
    private static final String SYSTEM_KEYSPACE = "org.apache.cassandra.db.SystemKeyspace";
    /** In Cassandra 5.0, and before 5.0. */
    private static final List<String> RESETS =
            Collections.unmodifiableList(Arrays.asList("resetAvailableStreamedRanges", "resetAvailableRanges"));

    private final String operation;
    private final Map<String, Map<String, List<String>>> plan = new LinkedHashMap<>();
    private final Map<String, Map<String, Object>> ranges = new LinkedHashMap<>();
    private final ClassLoader loader;

    /**
     * Reads the plan of a {@code RangeStreamer}.
     *
     * @throws ReflectiveOperationException if a class, method or field is not as expected
     */
    CassandraRanges(Object streamer) throws ReflectiveOperationException {
        loader = streamer.getClass().getClassLoader();
        operation = String.valueOf(field(streamer.getClass(), "description").get(streamer));
        Class<?> fetch = Class.forName(FETCH_REPLICA, false, loader);
        Class<?> replica = Class.forName(REPLICA, false, loader);
        Field local = field(fetch, "local");
        Map<?, ?> toFetch = (Map<?, ?>) field(streamer.getClass(), "toFetch").get(streamer);
        for (Map.Entry<?, ?> keyspace : toFetch.entrySet()) {
            String name = String.valueOf(keyspace.getKey());
            for (Map.Entry<?, ?> source : asMap(keyspace.getValue()).entrySet()) {
                for (Object wanted : (Collection<?>) source.getValue()) {
                    Object mine = local.get(wanted);
                    if ((Boolean) method(replica, "isFull").invoke(mine)) {
                        add(
                                name,
                                String.valueOf(source.getKey()),
                                method(replica, "range").invoke(mine));
                    }
                }
            }
        }
    }

    private Map<?, ?> asMap(Object multimap) throws ReflectiveOperationException {
        Class<?> type = Class.forName("com.google.common.collect.Multimap", false, loader);
        return (Map<?, ?>) type.getMethod("asMap").invoke(multimap);
    }

    private void add(String keyspace, String source, Object range) throws ReflectiveOperationException {
        String text = "(" + range.getClass().getField("left").get(range) + ","
                + range.getClass().getField("right").get(range) + "]";
        ranges.computeIfAbsent(keyspace, key -> new LinkedHashMap<>()).put(text, range);
        plan.computeIfAbsent(keyspace, key -> new LinkedHashMap<>())
                .computeIfAbsent(address(source), key -> new ArrayList<>())
                .add(text);
    }

    /** Returns {@code host/10.0.0.7:7000} as {@code 10.0.0.7:7000}. */
    static String address(String text) {
        return text.substring(text.indexOf('/') + 1);
    }

    /** What Cassandra calls the operation, such as {@code Bootstrap}. */
    String operation() {
        return operation;
    }

    /** The plan: keyspace, source, ranges. */
    Map<String, Map<String, List<String>>> plan() {
        return plan;
    }

    @Override
    public void add(String keyspace, Set<String> wanted) {
        Map<String, Object> known = ranges.getOrDefault(keyspace, Collections.<String, Object>emptyMap());
        List<Object> full = new ArrayList<>();
        wanted.forEach(range -> full.add(known.get(range)));
        call(() -> method(
                        Class.forName(SYSTEM_KEYSPACE, true, loader),
                        "updateAvailableRanges",
                        String.class,
                        Collection.class,
                        Collection.class)
                .invoke(null, keyspace, full, Collections.emptyList()));
    }

    /** Removes all marks of this node. */
    static void clear(ClassLoader loader) {
        call(() -> reset(Class.forName(SYSTEM_KEYSPACE, true, loader)).invoke(null));
    }

    private static Method reset(Class<?> keyspace) throws NoSuchMethodException {
        for (Method method : keyspace.getMethods()) {
            if (RESETS.contains(method.getName()) && method.getParameterCount() == 0) {
                return method;
            }
        }
        throw new NoSuchMethodException(RESETS.get(0) + "() of " + keyspace.getName());
    }

    /**
     * Checks that the Cassandra of this process has everything that this class uses. Loads classes, but initializes
     * none.
     *
     * @throws ReflectiveOperationException naming what is missing
     */
    static void require(ClassLoader loader) throws ReflectiveOperationException {
        Class<?> replica = Class.forName(REPLICA, false, loader);
        Class<?> keyspace = Class.forName(SYSTEM_KEYSPACE, false, loader);
        Class<?> streamer = Class.forName(RANGE_STREAMER, false, loader);
        field(streamer, "description");
        field(streamer, "toFetch");
        field(Class.forName(FETCH_REPLICA, false, loader), "local");
        method(replica, "isFull");
        method(replica, "range");
        method(keyspace, "updateAvailableRanges", String.class, Collection.class, Collection.class);
        reset(keyspace);
    }

    private static Field field(Class<?> type, String name) throws NoSuchFieldException {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            NoSuchFieldException named = new NoSuchFieldException("no field " + name + " in " + type.getName());
            named.initCause(e);
            throw named;
        }
    }

    private static Method method(Class<?> type, String name, Class<?>... parameters) throws NoSuchMethodException {
        return type.getMethod(name, parameters);
    }

    private interface Reflection {
        void run() throws ReflectiveOperationException;
    }

    private static void call(Reflection reflection) {
        try {
            reflection.run();
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("Cassandra rejected the call: " + e.getCause(), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("unknown release of Cassandra: " + e, e);
        }
    }
}
