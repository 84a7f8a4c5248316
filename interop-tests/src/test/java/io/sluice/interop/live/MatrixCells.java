package io.sluice.interop.live;

import io.sluice.harness.cassandra.LocalNode;
import io.sluice.interop.live.MatrixNode.Rewrite;
import io.sluice.interop.live.MatrixNode.Table;
import io.sluice.interop.live.MatrixShapes.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Makes the cells of one live node: each writer of the usual shape in LZ4, each compression and each shape as flush and
 * compaction write it. Not thread-safe.
 */
final class MatrixCells {
    private static final String PLAIN = "{'enabled': false}";
    private static final String LZ4 = "{'class': 'LZ4Compressor', 'chunk_length_in_kb': 16}";
    private static final String SIZE_TIERED = "{'class': 'SizeTieredCompactionStrategy'}";

    private final Kind kind;
    private final MatrixNode node;
    private final List<MatrixCell> cells = new ArrayList<>();

    private MatrixCells(Kind kind, MatrixNode node) {
        this.kind = kind;
        this.node = node;
    }

    /**
     * A release, and the version that it writes.
     *
     * @param mode storage compatibility mode of 5.0, or empty
     */
    record Kind(String release, String mode, String version) {
        private String yaml() {
            // Without the first line flushes compress with LZ4, whatever the table says.
            return "flush_compression: table\nenable_sasi_indexes: true\ncdc_enabled: true\n"
                    + (version.equals("da") ? "sstable:\n  selected_format: bti\n" : "");
        }

        boolean isFive() {
            return release.startsWith("5.");
        }

        @Override
        public String toString() {
            return release + " " + version;
        }
    }

    /** What makes one cell. */
    private interface Maker {
        Path make() throws IOException, InterruptedException;
    }

    /** Starts a node, lets it write everything, and stops it. */
    static List<MatrixCell> make(Kind kind, Path copies) throws IOException, InterruptedException {
        try (MatrixNode node = MatrixNode.start(kind.release(), kind.mode(), kind.yaml(), copies)) {
            MatrixCells cells = new MatrixCells(kind, node);
            node.createKeyspace("m", 1);
            cells.writers();
            compressions().forEach((name, options) -> cells.both(name, options, MatrixShapes.usual()));
            MatrixShapes.of(kind.isFive()).forEach(shape -> cells.both("LZ4 16 KiB", LZ4, shape));
            cells.large();
            node.dropKeyspace("m");
            cells.ring();
            return cells.cells;
        }
    }

    private static Map<String, String> compressions() {
        Map<String, String> compressions = new LinkedHashMap<>();
        compressions.put("none", PLAIN);
        for (int chunk : new int[] {4, 16, 64, 256}) {
            compressions.put(
                    "LZ4 " + chunk + " KiB", "{'class': 'LZ4Compressor', 'chunk_length_in_kb': " + chunk + "}");
        }
        for (String name : List.of("Snappy", "Deflate", "Zstd", "Noop")) {
            compressions.put(name, "{'class': '" + name + "Compressor'}");
        }
        compressions.put("LZ4, min_compress_ratio 4", "{'class': 'LZ4Compressor', 'min_compress_ratio': 4}");
        return compressions;
    }

    private void add(String writer, String compression, Shape shape, Maker maker) {
        Optional<Path> folder = Optional.empty();
        Optional<String> refusal = Optional.empty();
        try {
            folder = Optional.of(maker.make());
        } catch (IOException | InterruptedException | RuntimeException e) {
            refusal = Optional.of(String.valueOf(e.getMessage()));
        }
        cells.add(
                new MatrixCell(kind.toString(), writer, compression, shape.name(), folder, shape.isDumped(), refusal));
    }

    /** A table as flush and compaction write it. */
    private void both(String compression, String options, Shape shape) {
        List<Table> loaded = new ArrayList<>();
        add("flush", compression, shape, () -> {
            loaded.add(node.load(node.create("m", shape, options, SIZE_TIERED)));
            return node.keep(loaded.get(0));
        });
        for (Table table : loaded) {
            add("compaction", compression, shape, () -> rewritten(table, node::compact));
        }
    }

    /** Takes long: each way to store it once with each index. */
    private void large() {
        if (List.of("4.1.10 nb", "5.0.9 da").contains(kind.toString())) {
            both("none", PLAIN, MatrixShapes.large());
        }
        if (List.of("4.1.10 nb", "5.0.9 oa").contains(kind.toString())) {
            both("LZ4 16 KiB", LZ4, MatrixShapes.large());
        }
    }

    private void writers() {
        writer("compaction, size-tiered", SIZE_TIERED, node::compact);
        writer("compaction, leveled", "{'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': 1}", node::compact);
        writer("compaction, time-window", "{'class': 'TimeWindowCompactionStrategy'}", node::compact);
        if (kind.isFive()) {
            writer("compaction, unified", "{'class': 'UnifiedCompactionStrategy'}", node::compact);
        }
        writer("upgradesstables -a", SIZE_TIERED, node::upgrade);
        writer("scrub", SIZE_TIERED, node::scrub);
        add("bulk load", "LZ4 16 KiB", MatrixShapes.usual(), () -> {
            Table source = node.load(node.create("m", MatrixShapes.usual(), LZ4, SIZE_TIERED));
            Table target = node.create("m", MatrixShapes.usual(), LZ4, SIZE_TIERED);
            node.bulkLoad(target, node.keep(source));
            return node.keep(target);
        });
    }

    private void writer(String name, String strategy, Rewrite how) {
        add(
                name,
                "LZ4 16 KiB",
                MatrixShapes.usual(),
                () -> rewritten(node.load(node.create("m", MatrixShapes.usual(), LZ4, strategy)), how));
    }

    private Path rewritten(Table table, Rewrite how) throws IOException {
        try {
            node.rewrite(table, how);
        } catch (ConditionTimeoutException e) {
            throw new IOException("it rewrites nothing", e);
        }
        return node.keep(table);
    }

    /** What needs a second node: streaming to it, cleanup after it, incremental repair with it. */
    private void ring() throws IOException, InterruptedException {
        Shape usual = MatrixShapes.usual();
        node.createKeyspace("once", 1);
        node.createKeyspace("twice", 2);
        Table table = node.load(node.create("once", usual, LZ4, SIZE_TIERED));
        LocalNode second = node.join();
        add("streaming, bootstrap", "LZ4 16 KiB", usual, () -> node.keep(table, second));
        add("cleanup", "LZ4 16 KiB", usual, () -> rewritten(table, node::cleanUp));
        add("anticompaction", "LZ4 16 KiB", usual, () -> {
            Table replicated = node.load(node.create("twice", usual, LZ4, SIZE_TIERED));
            String range = node.someRange();
            return rewritten(replicated, all -> node.repair(all, range));
        });
    }
}
