package io.sluice.hook;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Classes with the names and members that the hook looks for, made by a test into a folder. They are our own: nothing
 * of Cassandra is in them. Not thread-safe.
 */
final class FakeCassandra {
    private static final String STREAMER = """
            package org.apache.cassandra.dht;
            public class RangeStreamer {
                private final String description = "Replace";
                private final java.util.Map<String, Object> toFetch = new java.util.HashMap<>();
                public static class FetchReplica { public final Object local = ""; }
                public String fetchAsync() { return description + toFetch; }
            }
            """;
    private static final String REPLICA = """
            package org.apache.cassandra.locator;
            public class Replica {
                public boolean isFull() { return true; }
                public Object range() { return ""; }
            }
            """;
    private static final String SYSTEM_KEYSPACE = """
            package org.apache.cassandra.db;
            import java.util.Collection;
            public class SystemKeyspace {
                public static void updateAvailableRanges(String keyspace, Collection full, Collection other) {}
                public static int resets;
                public static void resetAvailableRanges() { resets++; }
            }
            """;

    private final Map<String, String> sources = new TreeMap<>(Map.of(
            "org/apache/cassandra/dht/RangeStreamer", STREAMER,
            "org/apache/cassandra/locator/Replica", REPLICA,
            "org/apache/cassandra/db/SystemKeyspace", SYSTEM_KEYSPACE));
    private String version = "CassandraVersion=5.0.9\n";

    /** Its {@code version.properties}; none if empty. */
    FakeCassandra version(String content) {
        version = content;
        return this;
    }

    /** Replaces a text of {@code RangeStreamer}. */
    FakeCassandra streamer(String text, String other) {
        sources.merge("org/apache/cassandra/dht/RangeStreamer", "", (source, none) -> source.replace(text, other));
        return this;
    }

    /** Replaces what its clearing of marks does. */
    FakeCassandra reset(String statement) {
        sources.merge(
                "org/apache/cassandra/db/SystemKeyspace", "", (source, none) -> source.replace("resets++;", statement));
        return this;
    }

    /** Compiles into {@code folder}, and returns it: a class path. */
    Path into(Path folder) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-nowarn", "-d", folder.toString()));
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path file = folder.resolve("sources").resolve(source.getKey() + ".java");
            Files.createDirectories(file.getParent());
            arguments.add(Files.writeString(file, source.getValue()).toString());
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler.run(null, null, null, arguments.toArray(String[]::new)) != 0) {
            throw new IOException("the classes do not compile: see above");
        }
        if (!version.isEmpty()) {
            Path file = folder.resolve("org/apache/cassandra/config/version.properties");
            Files.createDirectories(file.getParent());
            Files.writeString(file, version);
        }
        return folder;
    }
}
