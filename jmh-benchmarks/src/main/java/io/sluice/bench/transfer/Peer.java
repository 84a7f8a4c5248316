package io.sluice.bench.transfer;

import io.sluice.bench.OneTableStore;
import io.sluice.bench.Scratch;
import io.sluice.bench.process.Answers;
import io.sluice.bench.process.Usage;
import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * One end of a transfer, as a process. It answers each line on its standard input by a line of JSON: {@code usage} by
 * what it has used so far, {@code move} (the receiver) by what it took to move the table once. {@code slice} moves only
 * the first half of the tokens of each SSTable. It ends with its input.
 */
public final class Peer {
    private static final UUID SENDER = new UUID(1, 1);
    private static final UUID RECEIVER = new UUID(2, 2);
    private static final double NANOS_PER_SECOND = 1e9;

    private Peer() {}

    /** One move at the receiver. */
    record Moved(long bytes, double seconds, double cpuSeconds, long allocatedBytes) {}

    /**
     * Runs until standard input ends.
     *
     * @param arguments {@code send TABLE PORT CONNECTIONS}, or {@code receive TABLE PORT CONNECTIONS TARGET DURABLE}
     */
    public static void main(String[] arguments) throws Exception {
        TableDirectory directory = TableDirectory.of(Path.of(arguments[1]))
                .orElseThrow(() -> new IOException(arguments[1] + ": not the folder of a table"));
        TableRef table = OneTableStore.refOf(directory);
        Node sender = node(SENDER, "sender", Integer.parseInt(arguments[2]), 0);
        StreamOptions options = StreamOptions.builder()
                .clusterName("transfer")
                .connectionsPerHost(Integer.parseInt(arguments[3]))
                .build();
        if (arguments[0].equals("send")) {
            Path scratch = Scratch.directory();
            var store = new OneTableStore(table, directory.path(), scratch.resolve("staging"));
            StreamingNode node = StreamingNode.start(sender, options, store);
            try {
                Answers.untilEnd(line -> Usage.now());
            } finally {
                node.close();
                Scratch.delete(scratch);
            }
        } else {
            Path target = Files.createTempDirectory(Path.of(arguments[4]), "sluice-transfer");
            var store =
                    new OneTableStore(table, Files.createDirectory(target.resolve("live")), target.resolve("staging"));
            Disk disk = Boolean.parseBoolean(arguments[5]) ? new FileSystemDisk() : new UnsyncedDisk();
            Node self = node(RECEIVER, "receiver", Scratch.freePort(), 1);
            StreamRequest whole = new StreamRequest(sender, table, TokenRanges.FULL);
            StreamRequest halves = new StreamRequest(sender, table, halves(directory));
            try (StreamingNode node = StreamingNode.start(self, options, store, disk)) {
                Answers.untilEnd(line -> move(node, store, line.equals("slice") ? halves : whole));
            } finally {
                Scratch.delete(target);
            }
        }
    }

    /** All but the first partition of the first half of each SSTable. */
    private static TokenRanges halves(TableDirectory table) throws IOException {
        List<TokenRange> halves = new ArrayList<>();
        for (Descriptor descriptor : table.descriptors()) {
            SSTable sstable = SSTable.open(table.path(), descriptor);
            long first = sstable.firstToken().value();
            long last = sstable.lastToken().value();
            halves.add(TokenRange.of(first, first / 2 + last / 2));
        }
        return TokenRanges.of(halves);
    }

    private static Node node(UUID id, String name, int port, long token) {
        return new Node(id, name, new Address("127.0.0.1", port), List.of(new Token(token)));
    }

    private static Moved move(StreamingNode node, OneTableStore store, StreamRequest request) throws Exception {
        Usage before = Usage.now();
        long began = System.nanoTime();
        StreamPlan plan = new StreamPlan(UUID.randomUUID(), Operation.BULK_LOAD, List.of(request));
        PlanResult result = node.execute(plan).get();
        double seconds = (System.nanoTime() - began) / NANOS_PER_SECOND;
        Usage after = Usage.now();
        if (!result.isComplete()) {
            throw new IOException("not installed: " + result.tables());
        }
        store.clear();
        return new Moved(
                result.tables().get(0).bytes(),
                seconds,
                after.cpuSeconds() - before.cpuSeconds(),
                after.allocatedBytes() - before.allocatedBytes());
    }
}
