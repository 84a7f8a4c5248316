package io.sluice.bench.transfer;

import io.sluice.bench.OneTableStore;
import io.sluice.bench.process.ChildCommands;
import io.sluice.harness.store.LocalStore;
import io.sluice.harness.store.StoreOptions;
import io.sluice.harness.store.TableView;
import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Limit;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A node that answers reads, as a process: it reads partitions of its own store, so many in a second whatever becomes
 * of those before, and fetches a table from a peer meanwhile. Each line of its input, {@code MODE SECONDS RATE}, is
 * answered by {@link Read}; MODE is {@code alone}, {@code beside} (a stream of at most RATE bytes/s, 0 for no limit) or
 * {@code yielding} (a stream that holds back while more than one read in a hundred takes twice the 99th percentile that
 * the last {@code alone} had).
 */
public final class ReadsPeer {
    private static final UUID SELF = new UUID(2, 2);
    private static final TableRef READ = new TableRef(new UUID(7, 7), "bench", "reads");
    private static final long READS_PER_SECOND = 100;
    private static final int MOST_KEYS = 20_000;
    private static final double NANOS_PER_MICRO = 1e3;

    private final LocalStore store;
    private final List<PartitionKey> keys;
    private final SplittableRandom random = new SplittableRandom(1);
    private final ReadLatencyLoad load = new ReadLatencyLoad();

    /**
     * How reads were.
     *
     * @param reads how many
     * @param p50 in microseconds from when a read was due, as are the others
     * @param streamedBytes that arrived meanwhile
     */
    record Read(int reads, double p50, double p99, double longest, long streamedBytes, double seconds) {}

    private ReadsPeer(LocalStore store, List<PartitionKey> keys) {
        this.store = store;
        this.keys = keys;
    }

    /**
     * Runs until standard input ends.
     *
     * @param arguments the folder of the table that the peer sends, and that is read here as another one, the peer's
     *     address, a folder, and the address of this end
     */
    public static void main(String[] arguments) throws Exception {
        TableDirectory directory = TableDirectory.of(Path.of(arguments[0])).orElseThrow();
        TableRef table = OneTableStore.refOf(directory);
        Node sender = new Node(TransferPeer.SENDER, "sender", Address.parse(arguments[1]), List.of(new Token(0)));
        Path folder = Path.of(arguments[2]);
        Node self = new Node(SELF, "reader", Address.parse(arguments[3]), List.of(new Token(1)));
        try (LocalStore store = store(folder.resolve("data"), directory.path())) {
            ReadsPeer peer = new ReadsPeer(store, keys(store));
            OneTableStore arriving =
                    new OneTableStore(table, Files.createDirectory(folder.resolve("live")), folder.resolve("staging"));
            StreamOptions options = StreamOptions.builder()
                    .clusterName("transfer")
                    .foregroundLoad(peer.load::isOverloaded)
                    .build();
            StreamRequest request = new StreamRequest(sender, table, TokenRanges.FULL);
            try (StreamingNode node = StreamingNode.start(self, options, arriving)) {
                ChildCommands.untilEnd(line -> peer.measure(line, node, arriving, request));
            }
        }
    }

    /** A store with the files of {@code from}, as a table of its own. */
    private static LocalStore store(Path data, Path from) throws IOException {
        Path to = data.resolve(READ.keyspace())
                .resolve(READ.name() + "-" + READ.id().toString().replace("-", ""));
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.createLink(to.resolve(file.getFileName()), file);
            }
        }
        LocalStore store = LocalStore.open(data, StoreOptions.DEFAULTS);
        store.load();
        return store;
    }

    private static List<PartitionKey> keys(LocalStore store) throws IOException {
        List<PartitionKey> keys = new ArrayList<>();
        try (TableView view = store.view(READ.id());
                MergedPartitions all = view.partitions(TokenRanges.FULL)) {
            for (Optional<Partition> next = all.next();
                    next.isPresent() && keys.size() < MOST_KEYS;
                    next = all.next()) {
                keys.add(next.get().header().key());
            }
        }
        return keys;
    }

    private Read measure(String line, StreamingNode node, OneTableStore arriving, StreamRequest request)
            throws Exception {
        String[] words = line.split(" ", -1);
        long seconds = Long.parseLong(words[1]);
        load.isListening(words[0].equals("yielding"));
        node.throughput(Limit.STREAM_THROUGHPUT_INBOUND, Long.parseLong(words[2]));
        if (words[0].equals("alone")) {
            Read alone = read(seconds, node);
            load.limitNanos((long) (2 * alone.p99() * NANOS_PER_MICRO));
            return alone;
        }
        EndlessStream stream = new EndlessStream(node, arriving, request);
        try {
            return read(seconds, node);
        } finally {
            stream.end();
        }
    }

    private Read read(long seconds, StreamingNode node) throws Exception {
        int reads = (int) (seconds * READS_PER_SECOND);
        long period = TimeUnit.SECONDS.toNanos(1) / READS_PER_SECOND;
        long[] nanos = new long[reads];
        long bytesBefore = node.counters().bytesReceived();
        long began = System.nanoTime();
        for (int i = 0; i < reads; i++) {
            long due = began + i * period;
            TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
            PartitionKey key = keys.get(random.nextInt(keys.size()));
            try (TableView view = store.view(READ.id())) {
                if (view.read(List.of(key)).size() != 1) {
                    throw new IOException("a partition is gone: " + key);
                }
            }
            nanos[i] = System.nanoTime() - due; // a read that began late because of the one before is late itself
            load.add(nanos[i]);
        }
        double took = (System.nanoTime() - began) / 1e9;
        Arrays.sort(nanos);
        return new Read(
                reads,
                nanos[reads / 2] / NANOS_PER_MICRO,
                nanos[reads * 99 / 100] / NANOS_PER_MICRO,
                nanos[reads - 1] / NANOS_PER_MICRO,
                node.counters().bytesReceived() - bytesBefore,
                took);
    }
}
