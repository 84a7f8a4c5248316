package io.sluice.bench.transfer;

import io.sluice.bench.OneTableStore;
import io.sluice.bench.process.ChildCommands;
import io.sluice.harness.load.LoadTable;
import io.sluice.harness.store.CompactionStrategy;
import io.sluice.harness.store.LocalStore;
import io.sluice.harness.store.StoreOptions;
import io.sluice.harness.store.SyncPolicy;
import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.TableDirectory;
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
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A node that answers a client, as a process: {@link StoreClient} reads and writes in its store while it fetches a
 * table from a peer. Each line of its input, {@code MODE SECONDS RATE DUTY}, is answered by {@link Measured}, with a
 * streaming node of its own. MODE is {@code alone}, {@code beside} (a stream of at most RATE bytes/s, 0 for no limit),
 * or {@code signal} (a stream that holds back while more than one read in a hundred takes twice the 99th percentile
 * that the last {@code alone} had).
 */
public final class ReadsPeer {
    private static final UUID SELF = new UUID(2, 2);
    private static final TableRef READ = new TableRef(new UUID(7, 7), "bench", "reads");
    private static final double P99 = 0.99;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long MEMTABLE_BYTES = 16 << 20;
    /** Writes are acknowledged as Cassandra does by default. */
    private static final StoreOptions STORE =
            new StoreOptions(SyncPolicy.PERIODIC, MEMTABLE_BYTES, CompactionStrategy.NONE);

    private final StoreClient client;
    private final Node self;
    private final OneTableStore arriving;
    private final StreamRequest request;
    private final ReadLatencyLoad load = new ReadLatencyLoad();

    /**
     * How requests were.
     *
     * @param streamedBytes that arrived meanwhile
     */
    record Measured(List<Request> reads, List<Request> writes, long streamedBytes, double seconds) {
        /** Those that are in no burst. */
        List<Request> steadyReads() {
            return reads.stream().filter(one -> !Arrivals.isInBurst(one.due())).toList();
        }

        List<Request> burstReads() {
            return reads.stream().filter(one -> Arrivals.isInBurst(one.due())).toList();
        }
    }

    private ReadsPeer(StoreClient client, Node self, OneTableStore arriving, StreamRequest request) {
        this.client = client;
        this.self = self;
        this.arriving = arriving;
        this.request = request;
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
        try (LocalStore store = store(folder.resolve("data"), directory.path());
                StoreClient client = new StoreClient(store, READ.id(), LoadTable.DEFAULT)) {
            OneTableStore arriving =
                    new OneTableStore(table, Files.createDirectory(folder.resolve("live")), folder.resolve("staging"));
            ReadsPeer peer = new ReadsPeer(client, self, arriving, new StreamRequest(sender, table, TokenRanges.FULL));
            ChildCommands.untilEnd(peer::measure);
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
        LocalStore store = LocalStore.open(data, STORE);
        store.load();
        return store;
    }

    private Measured measure(String line) throws Exception {
        String[] words = line.split(" ", -1);
        String mode = words[0];
        int seconds = Integer.parseInt(words[1]);
        StreamOptions.Builder options = StreamOptions.builder()
                .clusterName("transfer")
                .throughput(Limit.STREAM_THROUGHPUT_INBOUND, Long.parseLong(words[2]));
        if (!words[3].equals(ReadsBench.DEFAULT_DUTY)) {
            options.set("streaming_duty_beside_clients", words[3]);
        }
        if (mode.equals("signal")) {
            options.foregroundLoad(load::isOverloaded);
        }
        try (StreamingNode node = StreamingNode.start(self, options.build(), arriving)) {
            if (mode.equals("alone")) {
                Measured alone = run(seconds, node);
                load.limitNanos(TimeUnit.MICROSECONDS.toNanos(2L * Request.percentile(alone.steadyReads(), P99)));
                return alone;
            }
            EndlessStream stream = new EndlessStream(node, arriving, request);
            try {
                return run(seconds, node);
            } finally {
                stream.end();
            }
        }
    }

    private Measured run(int seconds, StreamingNode node) throws IOException, InterruptedException {
        long bytesBefore = node.counters().bytesReceived();
        long began = System.nanoTime();
        StoreClient.Seen seen = client.run(seconds, load::add);
        double took = (System.nanoTime() - began) / NANOS_PER_SECOND;
        return new Measured(seen.reads(), seen.writes(), node.counters().bytesReceived() - bytesBefore, took);
    }
}
