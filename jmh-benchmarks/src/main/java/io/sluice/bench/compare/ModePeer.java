package io.sluice.bench.compare;

import io.sluice.bench.CongestionControl;
import io.sluice.bench.OneTableStore;
import io.sluice.bench.Scratch;
import io.sluice.bench.process.ChildCommands;
import io.sluice.bench.process.Usage;
import io.sluice.harness.content.TableFiles;
import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.Coverage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * One end of the comparison, as a process. It answers {@code usage} by what it has used; the receiver also the name of
 * a mode by what one transfer took, and {@code check MODE} by the digest of what arrived. It ends with its input.
 */
public final class ModePeer {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int CONNECTIONS_AS_NEEDED = 0;

    private ModePeer() {}

    /** One transfer, as the receiver saw it. */
    record Moved(double seconds, Usage usage, long wireBytes, long filesBytes, int sstables, String digest) {}

    /**
     * Runs until standard input ends.
     *
     * @param arguments {@code send TABLE PORT ROW-PORT RANGES}, or {@code receive TABLE PORT ROW-PORT TARGET RANGES}
     */
    public static void main(String[] arguments) throws Exception {
        TableDirectory directory = TableDirectory.of(Path.of(arguments[1]))
                .orElseThrow(() -> new IOException(arguments[1] + ": not the folder of a table"));
        Node source = node(1, "sender", Integer.parseInt(arguments[2]));
        int rowPort = Integer.parseInt(arguments[3]);
        if (arguments[0].equals("send")) {
            send(directory, source, rowPort, RangeChoice.of(arguments[4]));
        } else {
            receive(directory, source, rowPort, Path.of(arguments[4]), RangeChoice.of(arguments[5]));
        }
    }

    private static void send(TableDirectory directory, Node self, int rowPort, TokenRanges ranges) throws Exception {
        Path scratch = Scratch.directory();
        var store = new OneTableStore(OneTableStore.refOf(directory), directory.path(), scratch.resolve("staging"));
        List<SSTable> sstables = TableFiles.open(directory);
        RowSender rows = RowSender.start(sstables, tablet(sstables, ranges, scratch), rowPort);
        StreamingNode node = StreamingNode.start(self, options(CONNECTIONS_AS_NEEDED), store);
        try {
            ChildCommands.untilEnd(line -> Usage.now());
        } finally {
            node.close();
            rows.close();
            Scratch.delete(scratch);
        }
    }

    private static void receive(TableDirectory directory, Node source, int rowPort, Path parent, TokenRanges ranges)
            throws Exception {
        Path target = Scratch.directory(parent, "sluice-compare");
        Path live = Files.createDirectory(target.resolve("live"));
        TableRef table = OneTableStore.refOf(directory);
        var store = new OneTableStore(table, live, target.resolve("staging"));
        ExecutorService flusher = Executors.newSingleThreadExecutor();
        Node self = node(2, "receiver", FreePort.onLoopback());
        Node selfSingle = node(3, "receiver-single", FreePort.onLoopback());
        var storeSingle = new OneTableStore(table, live, target.resolve("staging-single"));
        StreamRequest request = new StreamRequest(source, table, ranges);
        try (StreamingNode node = StreamingNode.start(self, options(CONNECTIONS_AS_NEEDED), store);
                StreamingNode single = StreamingNode.start(selfSingle, options(1), storeSingle)) {
            RowReceiver rows =
                    new RowReceiver(rowPort, ranges, TableFiles.open(directory).get(0), target, flusher);
            TableDirectory arrived = new TableDirectory(live, table.keyspace(), table.name(), table.id());
            ChildCommands.untilEnd(line -> {
                boolean isCheck = line.startsWith("check ");
                Mode mode = Mode.valueOf(isCheck ? line.substring("check ".length()) : line);
                Usage before = Usage.now();
                long began = System.nanoTime();
                long wire = switch (mode) {
                    case FILES -> files(node, request);
                    case FILES_SINGLE -> files(single, request);
                    default -> rows.fetch(mode);
                };
                double seconds = (System.nanoTime() - began) / NANOS_PER_SECOND;
                Usage used = Usage.now().since(before);
                List<SSTable> sstables = TableFiles.open(arrived);
                String digest =
                        isCheck ? ContentDigest.of(sstables, TokenRanges.FULL).toString() : "";
                long bytes = sstables.stream().mapToLong(SSTable::bytesOnDisk).sum();
                store.clear();
                return new Moved(seconds, used, wire, bytes, sstables.size(), digest);
            });
        } finally {
            flusher.shutdown();
            Scratch.delete(target);
        }
    }

    /** SSTables that reach over an edge are cut there: those of a store with tablets never do. */
    private static List<SSTable> tablet(List<SSTable> sstables, TokenRanges ranges, Path scratch) throws IOException {
        List<SSTable> tablet = new ArrayList<>();
        Path folder = Files.createDirectory(scratch.resolve("tablet"));
        for (SSTable sstable : sstables) {
            if (sstable.coverage(ranges) == Coverage.WHOLE) {
                tablet.add(sstable);
            } else {
                SliceWriter.write(sstable, ranges, folder, sstable.descriptor())
                        .ifPresent(slice -> tablet.add(slice.sstable()));
            }
        }
        return tablet;
    }

    /** With the kernel's congestion control, also on loopback: the sockets of the other modes can have no other. */
    private static StreamOptions options(int connections) throws IOException {
        StreamOptions.Builder options =
                StreamOptions.builder().clusterName("compare").connectionsPerHost(connections);
        CongestionControl.ofSystem().name().ifPresent(name -> options.set("streaming_congestion_control", name));
        return options.build();
    }

    private static Node node(int number, String name, int port) {
        return new Node(new UUID(number, number), name, new Address("127.0.0.1", port), List.of(new Token(number)));
    }

    private static long files(StreamingNode node, StreamRequest request) throws Exception {
        StreamPlan plan = new StreamPlan(UUID.randomUUID(), Operation.REPLACE, List.of(request));
        PlanResult result = node.execute(plan).get();
        if (!result.isComplete()) {
            throw new IOException("not installed: " + result.tables());
        }
        return result.tables().get(0).bytes();
    }
}
