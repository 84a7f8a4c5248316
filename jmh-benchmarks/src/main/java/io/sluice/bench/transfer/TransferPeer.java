package io.sluice.bench.transfer;

import io.sluice.bench.OneTableStore;
import io.sluice.bench.PublishedTable;
import io.sluice.bench.Scratch;
import io.sluice.bench.process.ChildCommands;
import io.sluice.bench.process.Usage;
import io.sluice.harness.content.TableFiles;
import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.netty.TlsFiles;
import io.sluice.netty.security.Tls;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.metadata.Histogram;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.StreamActivity.StreamCounters;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32;

/**
 * One end of a transfer, as a process. It answers each line on its standard input by a line of JSON: {@code usage} by
 * what it has used so far, {@code tls} (the receiver) by what the TLS library alone takes for the bytes of the last
 * move, {@code crc} by what checksums of so many bytes take, {@code move} (the receiver) by what it took to move the
 * table once. {@code slice SHARE} moves only the first tokens of each SSTable, a half with 0.5; {@code cut SHARE} (the
 * sender) only prepares those slices. It ends with its input.
 */
public final class TransferPeer {
    static final UUID SENDER = new UUID(1, 1);
    static final UUID RECEIVER = new UUID(2, 2);
    private static final String SLICE = "slice ";
    private static final String CUT = "cut ";
    private static final double NANOS_PER_SECOND = 1e9;

    private TransferPeer() {}

    /** One move at the receiver. */
    record Moved(
            long bytes,
            double seconds,
            double cpuSeconds,
            long allocatedBytes,
            long socketReads,
            long fileWrites,
            long syncs) {}

    /** What the sender has used. */
    record Sent(double cpuSeconds, long allocatedBytes, long regions) {}

    /** Moves this share of each SSTable. */
    static String slice(double share) {
        return SLICE + share;
    }

    /** Prepares the slices of this share. */
    static String cut(double share) {
        return CUT + share;
    }

    private static TokenRanges ranges(TableDirectory table, String command) throws IOException {
        return PublishedTable.shares(table, Double.parseDouble(command.substring(command.indexOf(' ') + 1)));
    }

    /** The preparation of slices, by one thread. */
    record Prepared(double cpuSeconds, long partitions) {}

    /** CPU of one GiB. */
    record Checked(double cpuSecondsPerGib) {}

    /**
     * Runs until standard input ends.
     *
     * @param arguments {@code send TABLE SENDER CONNECTIONS TLS}, or {@code receive TABLE SENDER CONNECTIONS TLS TARGET
     *     DURABLE HERE}; SENDER and HERE are {@code host:port}, TLS is the folder of certificates, or {@code -}; the
     *     TLS library alone is at the port after the sender's
     */
    public static void main(String[] arguments) throws Exception {
        TableDirectory directory = TableDirectory.of(Path.of(arguments[1]))
                .orElseThrow(() -> new IOException(arguments[1] + ": not the folder of a table"));
        TableRef table = OneTableStore.refOf(directory);
        Address at = Address.parse(arguments[2]);
        Node sender = new Node(SENDER, "sender", at, List.of(new Token(0)));
        int connections = Integer.parseInt(arguments[3]);
        StreamOptions.Builder builder =
                StreamOptions.builder().clusterName("transfer").connectionsPerHost(connections);
        Optional<TlsFiles> tls = tls(arguments[4], arguments[0]);
        tls.ifPresent(builder::tls);
        StreamOptions options = builder.build();
        Optional<TlsPeer> alone =
                tls.isEmpty() ? Optional.empty() : Optional.of(new TlsPeer(Tls.of(tls.get()), connections));
        int alonePort = at.port() + 1;
        if (arguments[0].equals("send")) {
            Path scratch = Scratch.directory();
            var store = new OneTableStore(table, directory.path(), scratch.resolve("staging"));
            StreamingNode node = StreamingNode.start(sender, options, store);
            alone.ifPresent(peer -> peer.listen(alonePort));
            Path slices = scratch.resolve("cut");
            try {
                ChildCommands.untilEnd(
                        line -> line.startsWith(CUT) ? cut(directory, ranges(directory, line), slices) : sent(node));
            } finally {
                node.close();
                Scratch.delete(scratch);
            }
        } else {
            Path target = Scratch.directory(Path.of(arguments[5]), "sluice-transfer");
            Disk disk = Boolean.parseBoolean(arguments[6]) ? new FileSystemDisk() : new UnsyncedDisk();
            var store = new OneTableStore(
                    table, Files.createDirectory(target.resolve("live")), target.resolve("staging"), disk);
            Node self = new Node(RECEIVER, "receiver", Address.parse(arguments[7]), List.of(new Token(1)));
            StreamRequest whole = new StreamRequest(sender, table, TokenRanges.FULL);
            long bytes = streamedBytes(directory);
            try (StreamingNode node = StreamingNode.start(self, options, store)) {
                ChildCommands.untilEnd(line -> switch (line) {
                    case "tls" -> alone(alone.orElseThrow(), alonePort, bytes);
                    case "crc" -> crc();
                    case "move" -> move(node, store, whole);
                    default -> move(node, store, new StreamRequest(sender, table, ranges(directory, line)));
                });
            } finally {
                Scratch.delete(target);
            }
        }
        alone.ifPresent(TlsPeer::close);
    }

    private static Optional<TlsFiles> tls(String folder, String name) {
        Path pem = Path.of(folder);
        return folder.equals("-")
                ? Optional.empty()
                : Optional.of(new TlsFiles(
                        pem.resolve(name + ".crt"), pem.resolve(name + ".key"), pem.resolve("trust.crt"), true));
    }

    private static Sent sent(StreamingNode node) {
        Usage usage = Usage.now();
        return new Sent(
                usage.cpuSeconds(), usage.allocatedBytes(), node.counters().regionsSent());
    }

    /** Prepares the slices that {@code slice} moves as a session does, and removes them. */
    private static Prepared cut(TableDirectory table, TokenRanges ranges, Path folder) throws IOException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long nanos = 0;
        long partitions = 0;
        for (SSTable source : TableFiles.open(table)) {
            Files.createDirectories(folder);
            long before = threads.getCurrentThreadCpuTime();
            SliceWriter.SliceRegions slice = SliceWriter.sliceRegions(
                    new LocalFiles(),
                    source,
                    source.rangeSections(ranges),
                    folder,
                    source.descriptor(),
                    SliceWriter.Effort.ALONE);
            nanos += threads.getCurrentThreadCpuTime() - before;
            Histogram lengths =
                    slice.files().statistics().stats().distributions().partitionLengths();
            partitions += lengths.total();
            Scratch.delete(folder);
        }
        return new Prepared(nanos / NANOS_PER_SECOND, partitions);
    }

    private static Moved alone(TlsPeer peer, int port, long bytes) throws IOException {
        Usage before = Usage.now();
        long began = System.nanoTime();
        peer.receive(port, bytes);
        double seconds = (System.nanoTime() - began) / NANOS_PER_SECOND;
        Usage used = Usage.now().since(before);
        return new Moved(bytes, seconds, used.cpuSeconds(), used.allocatedBytes(), 0, 0, 0);
    }

    /**
     * The CRC-32 of a buffer as long as those of the receiver, again and again: it stays in the cache, as there. By one
     * thread, whose clock is finer than that of the process.
     */
    private static Checked crc() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
        CRC32 crc = new CRC32();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 3; round++) { // the first ones warm up
            long before = threads.getCurrentThreadCpuTime();
            for (int i = 0; i < 1 << 10; i++) {
                crc.update(buffer.clear());
            }
            least = Math.min(least, threads.getCurrentThreadCpuTime() - before);
        }
        return new Checked(least / NANOS_PER_SECOND);
    }

    private static long streamedBytes(TableDirectory table) throws IOException {
        long bytes = 0;
        for (SSTable sstable : TableFiles.open(table)) {
            bytes += sstable.components().stream()
                    .filter(Component::isStreamed)
                    .mapToLong(sstable::lengthBytes)
                    .sum();
        }
        return bytes;
    }

    private static Moved move(StreamingNode node, OneTableStore store, StreamRequest request) throws Exception {
        StreamCounters countedBefore = node.counters();
        Usage before = Usage.now();
        long began = System.nanoTime();
        StreamPlan plan = new StreamPlan(UUID.randomUUID(), Operation.REPLACE, List.of(request));
        PlanResult result = node.execute(plan).get();
        double seconds = (System.nanoTime() - began) / NANOS_PER_SECOND;
        Usage used = Usage.now().since(before);
        StreamCounters counted = node.counters();
        if (!result.isComplete()) {
            throw new IOException("not installed: " + result.tables());
        }
        store.clear();
        return new Moved(
                result.tables().get(0).bytes(),
                seconds,
                used.cpuSeconds(),
                used.allocatedBytes(),
                counted.socketReads() - countedBefore.socketReads(),
                counted.fileWrites() - countedBefore.fileWrites(),
                counted.syncs() - countedBefore.syncs());
    }
}
