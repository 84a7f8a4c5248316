package io.sluice.interop.live;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The shapes of tables that the matrix has, as CQL. Stateless. */
final class MatrixShapes {
    private static final int ROWS = 1500;
    private static final int FEW_ROWS = 500;
    private static final int ROWS_OF_PARTITION = 5;
    private static final int LONG_CLUSTERING_BYTES = 60_000;
    private static final int LONG_CLUSTERINGS = 20;
    private static final int LARGE_ROW_BYTES = 20_000;
    private static final int LARGE_ROWS = 2_700;
    private static final int MEGABYTE_ROWS = 130;
    private static final int TTL_SECONDS = 10_000_000;

    private MatrixShapes() {}

    /** What is written before a flush. */
    @FunctionalInterface
    interface Load {
        /** @param round 0, then 1: part of what it writes has the same keys */
        Stream<String> statements(int round);
    }

    /**
     * A shape. In all CQL {@code $K} is the keyspace, and {@code $T} the table with its keyspace.
     *
     * @param types statements before the table is created
     * @param columns of the table, with its key
     * @param options behind WITH; empty for none
     * @param indexes statements after the table was created
     * @param between statements between the rounds
     */
    record Shape(
            String name,
            List<String> types,
            String columns,
            String options,
            List<String> indexes,
            Load load,
            List<String> between) {
        static Shape of(String name, String columns, Load load) {
            return new Shape(name, List.of(), columns, "", List.of(), load, List.of());
        }

        Shape withTypes(String... statements) {
            return new Shape(name, List.of(statements), columns, options, indexes, load, between);
        }

        Shape withOptions(String clause) {
            return new Shape(name, types, columns, clause, indexes, load, between);
        }

        Shape withIndex(String statement) {
            return new Shape(name, types, columns, options, List.of(statement), load, between);
        }

        Shape withBetween(String... statements) {
            return new Shape(name, types, columns, options, indexes, load, List.of(statements));
        }

        /** Whether its dumps fit into memory. */
        boolean isDumped() {
            return !name.equals("partition of 108 MB");
        }
    }

    /** Rows, statics, times to live, and deletions of partitions, rows, ranges and cells. */
    static Shape usual() {
        return Shape.of(
                "usual",
                "k int, c int, s text static, v text, n bigint, PRIMARY KEY (k, c)",
                round -> usual(ROWS, round));
    }

    private static Stream<String> usual(int rows, int round) {
        int partitions = rows / ROWS_OF_PARTITION;
        Stream<String> inserts = numbers(rows)
                .map(i -> "INSERT INTO $T (k, c, s, v, n) VALUES (" + (i % partitions + round * partitions / 2) + ", "
                        + i / partitions + ", 'static " + i % partitions + "', 'value " + i * 31L * (round + 1) + "', "
                        + i + ")"
                        + (i % 11 == 0 ? " USING TTL " + TTL_SECONDS : ""));
        Stream<String> deletions = numbers(partitions).filter(k -> k % 7 < 4).map(k -> switch (k % 7) {
            case 0 -> "DELETE FROM $T WHERE k = " + k;
            case 1 -> "DELETE FROM $T WHERE k = " + k + " AND c = 2";
            case 2 -> "DELETE FROM $T WHERE k = " + k + " AND c > 1 AND c <= 3";
            default -> "DELETE v FROM $T WHERE k = " + k + " AND c = 1";
        });
        return Stream.concat(inserts, deletions);
    }

    private static Stream<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed();
    }

    /** A table of columns {@code k}, {@code c}, {@code v} in which values come from {@code values}. */
    private static Load rows(int rows, String columns, IntFunction<String> values) {
        return round -> numbers(rows)
                .map(i -> i + round * rows / 2)
                .map(i -> "INSERT INTO $T (" + columns + ") VALUES (" + values.apply(i) + ")");
    }

    /** All shapes for a node of a release, but for the usual one. */
    static List<Shape> of(boolean isFive) {
        List<Shape> shapes = new ArrayList<>(List.of(
                Shape.of(
                        "duration",
                        "k int, c int, d duration, l list<duration>, PRIMARY KEY (k, c)",
                        rows(
                                FEW_ROWS,
                                "k, c, d, l",
                                i -> i / 9 + ", " + i + ", " + i % 12 + "mo" + i + "d" + i + "s, [" + i + "h, -" + i
                                        + "ms]")),
                nested(),
                Shape.of(
                        "frozen collections",
                        "k frozen<list<int>>, c frozen<map<text, int>>, v frozen<set<text>>, w map<text, frozen<list<int>>>, x set<frozen<list<int>>>, PRIMARY KEY (k, c)",
                        rows(
                                FEW_ROWS,
                                "k, c, v, w, x",
                                i -> "[" + i / 9 + ", 1], {'a': " + i + "}, {'x" + i + "', 'y'}, {'p': [" + i
                                        + "], 'q': []}, {[" + i + "], []}")),
                counters(),
                Shape.of(
                        "statics",
                        "k int, c int, s text static, m map<int, text> static, v int, PRIMARY KEY (k, c)",
                        round -> numbers(FEW_ROWS)
                                .map(i -> i % 3 == round
                                        ? "INSERT INTO $T (k, c, v) VALUES (" + i + ", 1, 2)"
                                        : "INSERT INTO $T (k, s, m) VALUES (" + i + ", 's" + round + "', {1: 'a', " + i
                                                + ": 'b'})")),
                Shape.of(
                                "reversed",
                                "k int, a int, b text, v int, PRIMARY KEY (k, a, b)",
                                rows(FEW_ROWS, "k, a, b, v", i -> i / 20 + ", " + i % 5 + ", 'b" + i + "', " + i))
                        .withOptions("CLUSTERING ORDER BY (a DESC, b ASC)"),
                boundaries(),
                Shape.of(
                                "times to live",
                                "k int, c int, v text, PRIMARY KEY (k, c)",
                                round -> numbers(FEW_ROWS)
                                        .map(i -> "INSERT INTO $T (k, c, v) VALUES (" + i / 9 + ", " + i
                                                + ", 'v') USING TTL " + (TTL_SECONDS + i * (round + 1))))
                        .withOptions("default_time_to_live = 50000000"),
                Shape.of(
                                "dropped and added again",
                                "k int, c int, v text, w int, PRIMARY KEY (k, c)",
                                rows(FEW_ROWS, "k, c, v, w", i -> i / 9 + ", " + i + ", 'v" + i + "', " + i))
                        .withBetween("ALTER TABLE $T DROP v", "ALTER TABLE $T ADD v text"),
                Shape.of(
                        "empty values",
                        "k text, c text, v text, b blob, i int, PRIMARY KEY (k, c)",
                        rows(
                                FEW_ROWS,
                                "k, c, v, b, i",
                                i -> "'k" + i / 9 + "', '" + (i % 9 == 0 ? "" : i) + "', '', 0x, blobAsInt(0x)")),
                Shape.of(
                        "clusterings of 60 KB",
                        "k int, c blob, v int, PRIMARY KEY (k, c)",
                        rows(
                                LONG_CLUSTERINGS,
                                "k, c, v",
                                i -> i / 9 + ", 0x" + "%02x".formatted(i).repeat(LONG_CLUSTERING_BYTES) + ", 1")),
                Shape.of(
                                "compact storage",
                                "k text, c int, v text, PRIMARY KEY (k, c)",
                                rows(FEW_ROWS, "k, c, v", i -> "'k" + i / 9 + "', " + i + ", 'v" + i + "'"))
                        .withOptions("COMPACT STORAGE"),
                withIndexName("change data capture").withOptions("cdc = true"),
                withIndexName("2i").withIndex("CREATE INDEX ON $T (n)"),
                withIndexName("SASI")
                        .withIndex("CREATE CUSTOM INDEX ON $T (v) USING 'org.apache.cassandra.index.sasi.SASIIndex'")));
        if (isFive) {
            shapes.add(Shape.of(
                    "vectors",
                    "k int, c int, v vector<float, 8>, PRIMARY KEY (k, c)",
                    rows(FEW_ROWS, "k, c, v", i -> i / 9 + ", " + i + ", [1, 2, 3, 4, 5, 6, 7, " + i + ".5]")));
            shapes.add(withIndexName("SAI").withIndex("CREATE INDEX ON $T (n) USING 'sai'"));
        }
        return shapes;
    }

    private static Shape withIndexName(String name) {
        return Shape.of(name, usual().columns(), round -> usual(FEW_ROWS, round));
    }

    private static Shape nested() {
        return Shape.of(
                        "nested types and tuples",
                        "k int, c frozen<tuple<int, text>>, u place, f frozen<place>, t tuple<int, frozen<place>>, PRIMARY KEY (k, c)",
                        rows(FEW_ROWS, "k, c, u, f, t", i -> {
                            String place = "{s: {a: " + i + ", b: ['x', 'y" + i + "']}, t: (" + i + ", null)}";
                            return i / 9 + ", (" + i + ", 'c'), " + place + ", " + place + ", (" + i + ", " + place
                                    + ")";
                        }))
                .withTypes(
                        "CREATE TYPE IF NOT EXISTS $K.street (a int, b frozen<list<text>>)",
                        "CREATE TYPE IF NOT EXISTS $K.place (s frozen<street>, t frozen<tuple<int, text>>)");
    }

    /** Ranges that meet, overlap, begin where rows are, and bound prefixes. */
    private static Shape boundaries() {
        return Shape.of(
                "boundaries of ranges",
                "k int, a int, b int, v int, PRIMARY KEY (k, a, b)",
                round -> Stream.concat(
                        numbers(FEW_ROWS)
                                .map(i -> "INSERT INTO $T (k, a, b, v) VALUES (" + i / 25 + ", " + i / 5 % 5 + ", "
                                        + i % 5 + ", " + round + ")"),
                        numbers(FEW_ROWS / 25)
                                .flatMap(k -> Stream.of(
                                                "a >= 0 AND a < 1",
                                                "a >= 1 AND a < 2",
                                                "a = 2",
                                                "a = 3 AND b > 1 AND b <= 3",
                                                "a = 3 AND b > 3",
                                                "a = 4 AND b >= " + round + " AND b < 2",
                                                "(a, b) > (3, 2) AND (a, b) <= (4, 3)")
                                        .skip(k % 3)
                                        .map(range -> "DELETE FROM $T WHERE k = " + k + " AND " + range))));
    }

    /** Enough to be split. */
    static Shape megabytes() {
        return Shape.of(
                "4 MB",
                "k int, c int, v blob, PRIMARY KEY (k, c)",
                rows(MEGABYTE_ROWS, "k, c, v", i -> i + ", 1, 0x" + filling(i)));
    }

    private static String filling(int seed) {
        byte[] bytes = new byte[LARGE_ROW_BYTES];
        new Random(seed).nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Counters as all nodes write them, each with shards of its own. */
    static Shape counters() {
        return Shape.of(
                "counters",
                "k int, c int, s counter static, n counter, m counter, PRIMARY KEY (k, c)",
                round -> numbers(FEW_ROWS)
                        .map(i -> "UPDATE $T SET n = n + " + i + ", m = m - 1" + (i % 3 == 0 ? ", s = s + 1" : "")
                                + " WHERE k = " + i / 9 + " AND c = " + i % 7));
    }

    /** The table {@code wide} of 3.x, whose files lie in the tree. */
    static Shape old() {
        return Shape.of(
                        "wide, of 3.x",
                        "k text, c1 text, c2 int, s text STATIC, v text, l list<int>, m map<text, int>, PRIMARY KEY (k, c1, c2)",
                        round -> Stream.empty())
                .withOptions("CLUSTERING ORDER BY (c1 DESC, c2 ASC)");
    }

    /** One partition, over 100 MB of it in two flushes, beside a few small ones. */
    static Shape large() {
        return Shape.of(
                "partition of 108 MB",
                "k int, c int, v blob, PRIMARY KEY (k, c)",
                round -> numbers(LARGE_ROWS)
                        .map(i -> "INSERT INTO $T (k, c, v) VALUES (" + (i % 100 == 0 ? i : 7) + ", "
                                + (i + round * LARGE_ROWS) + ", 0x"
                                + "%08x".formatted(i * 0x9e3779b9).repeat(LARGE_ROW_BYTES / 4) + ")"));
    }
}
