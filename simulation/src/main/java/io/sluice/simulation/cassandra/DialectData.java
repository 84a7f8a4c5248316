package io.sluice.simulation.cassandra;

import io.sluice.cassandra.load.LoadPlanner;
import io.sluice.cassandra.load.Receiver;
import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.cassandra.send.SSTableTransfer;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/** Small real SSTables that all runs of a process send. Immutable; the owner closes it after the last run. */
final class DialectData implements AutoCloseable {
    static final TableRef TABLE = new TableRef(new UUID(0x1000, 2), "shop", "users");
    private static final TokenRanges HALF = TokenRanges.of(TokenRange.of(0, Long.MAX_VALUE));
    /** Where it exists, syncing costs nothing. */
    private static final Path RAM_DISK = Path.of("/dev/shm");

    private final Path folder;
    private final List<Sendable> sendable = new ArrayList<>();

    /**
     * What can be sent.
     *
     * @param content of what arrives
     */
    record Sendable(SSTableTransfer transfer, ContentDigest content) {
        /** Whether nothing protects its bytes, or the header that says how to read them. */
        boolean isUnchecked() {
            return transfer instanceof SSTableTransfer.Part;
        }
    }

    private DialectData(Path folder) {
        this.folder = folder;
    }

    /** Writes the SSTables to a temporary folder. */
    static DialectData create() throws IOException {
        Path folder = Files.isWritable(RAM_DISK)
                ? Files.createTempDirectory(RAM_DISK, "sluice-dialect")
                : Files.createTempDirectory("sluice-dialect");
        DialectData data = new DialectData(folder);
        WriterOptions plain = WriterOptions.DEFAULTS.withoutCompression();
        WriterOptions lz4 = WriterOptions.DEFAULTS.withCompression(CompressionParameters.of(Compressor.LZ4, 1 << 12));
        data.add(new DataSet(1, 3, 2, 40), Version.NB, plain);
        data.add(new DataSet(2, 40, 5, 60), Version.NB, lz4);
        data.add(new DataSet(3, 30, 10, 200), Version.NB, plain);
        data.add(new DataSet(4, 50, 4, 100), Version.DA, lz4);
        data.add(new DataSet(5, 20, 3, 90), Version.OA, plain);
        return data;
    }

    private void add(DataSet content, Version version, WriterOptions options) throws IOException {
        Path source = Files.createDirectories(folder.resolve("source-" + sendable.size()));
        Descriptor descriptor =
                new DataSetWriter(content, version, options).write(source, 1).get(0);
        SSTable sstable = SSTable.open(source, descriptor);
        for (TokenRanges ranges : List.of(TokenRanges.FULL, HALF)) {
            SSTableTransfer transfer = planned(sstable, ranges);
            sendable.add(new Sendable(transfer, ContentDigest.of(List.of(sstable), ranges)));
        }
        sendable.add(
                new Sendable(new SSTableTransfer.Slice(sstable, HALF, 1), ContentDigest.of(List.of(sstable), HALF)));
    }

    private static SSTableTransfer planned(SSTable sstable, TokenRanges owned) throws IOException {
        var node = new CassandraNode(new UUID(0, 1), new InetSocketAddress(0), "dc1", "5.0.9");
        var table = new LiveTable(TABLE.keyspace(), TABLE.name(), TABLE.id(), "", List.of());
        return LoadPlanner.plan(table, List.of(sstable), List.of(new Receiver(node, owned, 13)))
                .get(0)
                .transfers()
                .get(0);
    }

    List<Sendable> sendable() {
        return sendable;
    }

    /** A new folder for one run; the run removes it. */
    Path runFolder() throws IOException {
        return Files.createTempDirectory(folder, "run");
    }

    /**
     * Compares what lies in a folder with what was sent.
     *
     * @param areBytesTrue whether nothing was changed on the way: rows, and some components, travel without a checksum
     * @return what is wrong; empty if nothing is
     */
    static String difference(Path received, List<Sendable> sent, boolean areBytesTrue) throws IOException {
        List<Sendable> missing = new ArrayList<>(sent);
        // What may arrive with other bytes comes last: an SSTable with the same content must not stand in for it.
        missing.sort(Comparator.comparing(Sendable::isUnchecked));
        List<Descriptor> unknown = new ArrayList<>();
        List<TableDirectory> tables = Files.exists(received) ? TableDirectory.find(received) : List.of();
        for (TableDirectory table : tables) {
            for (Descriptor descriptor : table.descriptors()) {
                SSTable arrived = SSTable.open(table.path(), descriptor);
                if (!isRemoved(arrived, missing, areBytesTrue)) {
                    unknown.add(descriptor);
                }
            }
        }
        if (!areBytesTrue) {
            unknown.removeIf(any -> isUncheckedRemoved(missing));
        }
        if (!unknown.isEmpty()) {
            return unknown + " are nothing that was sent, or are there twice";
        }
        return missing.isEmpty() ? "" : missing.size() + " of " + sent.size() + " SSTables are missing";
    }

    private static boolean isRemoved(SSTable arrived, List<Sendable> missing, boolean areBytesTrue) throws IOException {
        ContentDigest content = ContentDigest.of(List.of(arrived), TokenRanges.FULL);
        for (Sendable one : missing) {
            if (one.content().equals(content) && areBytesOf(one, arrived, areBytesTrue)) {
                return missing.remove(one);
            }
        }
        return false;
    }

    private static boolean isUncheckedRemoved(List<Sendable> missing) {
        return missing.stream()
                .filter(Sendable::isUnchecked)
                .findFirst()
                .map(missing::remove)
                .orElse(false);
    }

    private static boolean areBytesOf(Sendable sent, SSTable arrived, boolean areAll) throws IOException {
        if (!(sent.transfer() instanceof SSTableTransfer.Whole whole)) {
            return true;
        }
        for (SSTableTransfer.ComponentLength piece : whole.components()) {
            Component component = Component.ofFileName(piece.name()).orElseThrow();
            boolean isCompared = areAll || component == Component.DATA;
            if (isCompared
                    && !Arrays.equals(
                            Files.readAllBytes(whole.sstable().path(component)),
                            Files.readAllBytes(arrived.path(component)))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        new LocalFiles().deleteTree(folder);
    }
}
