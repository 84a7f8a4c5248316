package io.sluice.harness.scenario;

import io.sluice.harness.audit.LedgerWriter;
import io.sluice.harness.report.Step;
import io.sluice.harness.report.WorkProgress;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.OwnerOnly;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A generated table, kept in the work directory for runs of the same size on the same ring, with its schema beside it.
 * None of its SSTables crosses the end of a range. Immutable.
 *
 * @param bytes about how much
 * @param ranges of the ring
 * @param sstables at least one for each range
 * @param layers of SSTables; those of two layers overlap
 */
public record GeneratedData(WorkDirectory work, long bytes, List<TokenRange> ranges, int sstables, int layers) {
    private static final long SEED = 1;
    private static final long SSTABLE_BYTES = 160L << 20;
    private static final int MIN_SSTABLES = 6;
    private static final int MAX_SSTABLES = 100_000;
    private static final int LAYERS = 4;
    private static final String KEYSPACE = "bench";
    private static final String TABLE = "users";
    private static final UUID TABLE_ID = new UUID(0x51d1_ce00_e527_11f1L, 0x8440_cfee_5840_6264L);
    private static final String COMPLETE = "complete-with-ledger";
    private static final String SCHEMA = """
            CREATE KEYSPACE bench WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
            CREATE TABLE bench.users (key text, column1 int, value text, PRIMARY KEY (key, column1))
                WITH id = %s AND compression = {'enabled': false};
            """.formatted(TABLE_ID);

    public GeneratedData {
        ranges = List.copyOf(ranges);
    }

    /** In SSTables of up to 160 MiB, as leveled compaction leaves them. */
    public static GeneratedData of(WorkDirectory work, long bytes, List<TokenRange> ranges) {
        long sstables = Math.max(MIN_SSTABLES, (bytes + SSTABLE_BYTES - 1) / SSTABLE_BYTES);
        return new GeneratedData(work, bytes, ranges, (int) Math.min(sstables, MAX_SSTABLES), 1);
    }

    /** In four SSTables that all span the whole ring. */
    public static GeneratedData overlapping(WorkDirectory work, long bytes) {
        return new GeneratedData(work, bytes, List.of(TokenRange.FULL), 1, LAYERS);
    }

    /** The data directory: keyspaces lie in it. */
    public Path directory() {
        return work.root().resolve(folder());
    }

    /** What was written to the table, for the audit. */
    Path ledger() {
        return directory().resolve("ledger");
    }

    /** The folder of the table. */
    public Path table() {
        return directory()
                .resolve(KEYSPACE)
                .resolve(TABLE + "-" + TABLE_ID.toString().replace("-", ""));
    }

    private String folder() {
        // The boundaries of the ring are in the name: SSTables of another ring may cross them.
        return "data-" + bytes + "-" + sstables + (layers == 1 ? "" : "x" + layers) + "-"
                + Integer.toHexString(ranges.hashCode());
    }

    private DataSetWriter.Listener listener(LedgerWriter ledger, Runnable written) {
        ContentDigest.Hasher hasher = new ContentDigest.Hasher();
        return new DataSetWriter.Listener() {
            @Override
            public void partition(Partition partition) throws IOException {
                byte[] key = partition.header().key().bytes().toArray();
                ledger.add(key, hasher.hash(partition));
                written.run();
            }

            @Override
            public void sstable(Descriptor descriptor) throws IOException {
                ledger.endFile(table().resolve(descriptor.fileName(Component.DATA)));
            }
        };
    }

    /** Whether an earlier run has finished it. */
    public boolean isThere() {
        return Files.exists(directory().resolve(COMPLETE));
    }

    /** The folder of the table, which is generated if need be; then {@code people} says so. */
    public Path made(String what, PrintStream people) throws IOException {
        if (!isThere()) {
            people.println("Generating " + what + " (kept for later runs)");
            generate();
        }
        return table();
    }

    /** Writes the data, and shows how far it is; what a broken run left is made anew. */
    @SuppressWarnings("try") // it is shown meanwhile
    public void generate() throws IOException {
        AtomicReference<Step> step = new AtomicReference<>(Step.ofBytes("generating", 0, bytes));
        try (WorkProgress shown = WorkProgress.of(step::get)) {
            generate(step::set);
        }
    }

    /** @param told receives how far it is */
    void generate(Consumer<Step> told) throws IOException {
        work.clear(folder());
        OwnerOnly.createDirectories(table());
        long layerBytes = bytes / layers;
        for (int layer = 0; layer < layers; layer++) {
            DataSet data = DataSet.ofBytes(SEED + layer, layerBytes);
            long before = layer * layerBytes;
            double partitionBytes = (double) layerBytes / data.partitions();
            AtomicLong partitions = new AtomicLong();
            Runnable written = () -> told.accept(Step.ofBytes(
                    "generating", before + Math.round(partitions.incrementAndGet() * partitionBytes), bytes));
            try (LedgerWriter ledger = LedgerWriter.create(ledger(), layer)) {
                new DataSetWriter(data, Version.NB, WriterOptions.DEFAULTS, listener(ledger, written))
                        .write(table(), ranges, sstables, 1 + layer * MAX_SSTABLES);
            }
        }
        Files.writeString(directory().resolve("schema.cql"), SCHEMA);
        Files.createFile(directory().resolve(COMPLETE));
    }
}
