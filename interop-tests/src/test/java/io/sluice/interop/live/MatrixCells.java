package io.sluice.interop.live;

import io.sluice.harness.cassandra.LocalNode;
import io.sluice.interop.live.MatrixNode.Rewrite;
import io.sluice.interop.live.MatrixNode.Table;
import io.sluice.interop.live.MatrixShapes.Shape;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.metadata.CompactionState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Makes the cells of one live node: each writer of the usual shape in LZ4, each compression and each shape as flush and
 * compaction write it. Not thread-safe.
 */
final class MatrixCells {
    private static final String PLAIN = "{'enabled': false}";
    private static final String LZ4_NAME = "LZ4 16 KiB";
    private static final String LZ4 = "{'class': 'LZ4Compressor', 'chunk_length_in_kb': 16}";
    private static final String SIZE_TIERED = "{'class': 'SizeTieredCompactionStrategy'}";

    private static final Pattern WANTED = Pattern.compile(System.getProperty("matrix.cells", ""));

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

        /** Where the compressions of its shapes begin: four kinds meet each shape with four others. */
        private int turn() {
            return 3 * List.of("4.0.17 nb", "4.1.10 nb", "5.0.9 oa", "5.0.9 da").indexOf(toString());
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
            cells.loaders();
            cells.upgrades();
            compressions().forEach((name, options) -> cells.both(name, options, MatrixShapes.usual()));
            cells.shapes();
            cells.large();
            node.dropKeyspace("m");
            cells.group("ring of two", cells::ring);
            cells.group("tools", cells::tools);
            return cells.cells;
        }
    }

    /** Each shape in LZ4, and in one of the other compressions, which is another one for each kind of node. */
    private void shapes() {
        Map<String, String> others = compressions();
        others.remove(LZ4_NAME);
        List<String> names = List.copyOf(others.keySet());
        int turn = kind.turn();
        for (Shape shape : MatrixShapes.of(kind.isFive())) {
            both(LZ4_NAME, LZ4, shape);
            String name = names.get(turn % names.size());
            both(name, others.get(name), shape);
            turn++;
        }
    }

    /** Several cells. */
    private interface Group {
        void make() throws IOException, InterruptedException;
    }

    /** Makes what the others have in common, too: if that fails, it is a cell which is not written. */
    private void group(String name, Group group) throws InterruptedException {
        try {
            group.make();
        } catch (IOException | RuntimeException e) {
            add(name, LZ4_NAME, MatrixShapes.usual(), () -> {
                throw new IOException(e);
            });
        }
    }

    private static Map<String, String> compressions() {
        Map<String, String> compressions = new LinkedHashMap<>();
        compressions.put("none", PLAIN);
        for (int chunk : new int[] {4, 8, 16, 32, 64, 128, 256}) {
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
        if (!WANTED.matcher(String.join(" | ", writer, compression, shape.name()))
                .find()) {
            return;
        }
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
            both(LZ4_NAME, LZ4, MatrixShapes.large());
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
        writer("garbagecollect", SIZE_TIERED, node::collectGarbage);
    }

    /** How a loader brings copies of SSTables into a table. */
    private interface Loading {
        void load(Table target, Path files) throws IOException, InterruptedException;
    }

    private void loaders() {
        loader("bulk load by the node", true, node::bulkLoad);
        loader("sstableloader", true, (target, files) -> node.stockLoad(target, files, ""));
        loader(
                "sstableloader, in part",
                false,
                (target, files) -> node.stockLoad(target, files, "stream_entire_sstables: false\n"));
    }

    private void loader(String name, boolean isWhole, Loading how) {
        Shape usual = MatrixShapes.usual();
        add(name, LZ4_NAME, usual, () -> {
            Path files = node.keep(node.load(node.create("m", usual, LZ4, SIZE_TIERED)));
            Table target = node.create("m", usual, LZ4, SIZE_TIERED);
            how.load(target, files);
            Path arrived = node.keep(target);
            return isWhole ? whole(arrived, files) : arrived;
        });
    }

    /** What was streamed whole, which others were not. */
    private static Path whole(Path arrived, Path sent) throws IOException {
        if (!MatrixTools.contents(arrived, Component.DATA).equals(MatrixTools.contents(sent, Component.DATA))) {
            throw new IOException("not streamed whole");
        }
        return arrived;
    }

    /** Files of older releases, as a node finds them after its own upgrade, and as it writes them again. */
    private void upgrades() {
        for (String version : List.of("mc", "md", "me", "na")) {
            add("upgradesstables of " + version, "Deflate", MatrixShapes.old(), () -> {
                Table table = node.create(
                        "m",
                        MatrixShapes.old(),
                        "{'class': 'DeflateCompressor', 'chunk_length_in_kb': 16}",
                        SIZE_TIERED);
                node.adopt(table, MatrixTools.old(version));
                return rewritten(table, node::upgrade);
            });
        }
    }

    private void writer(String name, String strategy, Rewrite how) {
        add(
                name,
                LZ4_NAME,
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

    /** What needs a second node: streaming to it, cleanup after it, incremental repair and counters with it. */
    private void ring() throws IOException, InterruptedException {
        Shape usual = MatrixShapes.usual();
        node.createKeyspace("once", 1);
        node.createKeyspace("twice", 2);
        Table table = node.load(node.create("once", usual, LZ4, SIZE_TIERED));
        LocalNode second = node.join();
        add("streaming in part, bootstrap", LZ4_NAME, usual, () -> node.keep(table, second));
        add("cleanup", LZ4_NAME, usual, () -> rewritten(table, node::cleanUp));
        add("streaming whole, rebuild", LZ4_NAME, usual, () -> {
            node.createKeyspace("rebuilt", 1);
            Table source = node.load(node.create("rebuilt", usual, LZ4, SIZE_TIERED));
            Path files = node.keep(source);
            node.replicateTwice("rebuilt");
            node.rebuild(second, "rebuilt");
            return whole(node.keep(source, second), files);
        });
        add("anticompaction", LZ4_NAME, usual, () -> {
            Table replicated = node.load(node.create("twice", usual, LZ4, SIZE_TIERED));
            String range = node.someRange();
            return repairedInPart(rewritten(replicated, all -> node.repair(all, range)));
        });
        add("flush of counters of two nodes", LZ4_NAME, MatrixShapes.counters(), () -> {
            Table counted = node.loadThroughTwo(node.create("twice", MatrixShapes.counters(), LZ4, SIZE_TIERED));
            return ofTwoShards(node.keep(counted));
        });
        add("full repair", LZ4_NAME, usual, () -> {
            node.createKeyspace("repaired", 1);
            Table source = node.load(node.create("repaired", usual, LZ4, SIZE_TIERED));
            node.replicateTwice("repaired");
            node.repairFully(source, second);
            return node.keep(source, second);
        });
        add("move", LZ4_NAME, usual, () -> {
            node.createKeyspace("moved", 1);
            Table source = node.load(node.create("moved", usual, LZ4, SIZE_TIERED));
            node.moveAhead(second);
            return node.keep(source, second);
        });
        add("decommission", LZ4_NAME, usual, () -> {
            node.createKeyspace("left", 1);
            Table rest = node.load(node.create("left", usual, LZ4, SIZE_TIERED));
            node.decommission(second, rest);
            return node.keep(rest);
        });
    }

    private static Path repairedInPart(Path folder) throws IOException {
        Set<Boolean> marks = new HashSet<>();
        for (SSTable sstable : MatrixSession.open(TableDirectory.of(folder).orElseThrow())) {
            CompactionState state = sstable.statistics().stats().placement();
            marks.add(state.repairedAtMillis() > 0 || state.pendingRepair().isPresent());
        }
        if (marks.size() < 2) {
            throw new IOException("not divided into repaired and unrepaired SSTables: " + marks);
        }
        return folder;
    }

    private static Path ofTwoShards(Path folder) throws IOException {
        for (SSTable sstable : MatrixSession.open(TableDirectory.of(folder).orElseThrow())) {
            if (MatrixCheck.shards(sstable) > 1) {
                return folder;
            }
        }
        throw new IOException("no counter has shards of two nodes");
    }

    /** What the tools make of a node's tables when it has ended. */
    private void tools() throws IOException, InterruptedException {
        Map<MatrixTools.Tool, Table> tables = new LinkedHashMap<>();
        for (MatrixTools.Tool tool : MatrixTools.all()) {
            Table table = node.create("twice", tool.shape(), LZ4, tool.strategy());
            if (tool.old().isEmpty()) {
                node.load(table);
            }
            if (tool.isCompacted()) {
                node.rewrite(table, node::compact);
            }
            tables.put(tool, table);
        }
        node.kill();
        tables.forEach((tool, table) -> add(tool.name(), LZ4_NAME, tool.shape(), () -> {
            node.run(tool, table);
            return node.keep(table);
        }));
    }
}
