package io.sluice.harness.node;

import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.FetchState;
import io.sluice.harness.admin.HoldStatus;
import io.sluice.harness.admin.NetStats;
import io.sluice.harness.admin.NodeInfo;
import io.sluice.harness.admin.RingTables;
import io.sluice.harness.admin.TableStatus;
import io.sluice.harness.admin.VolumeStatus;
import io.sluice.harness.config.NodeSettings;
import io.sluice.harness.content.RangeDigest;
import io.sluice.harness.store.CompactionStrategy;
import io.sluice.harness.store.Leveled;
import io.sluice.harness.store.LocalStore;
import io.sluice.harness.store.MajorCompaction;
import io.sluice.harness.store.SizeTiered;
import io.sluice.harness.store.StoreOptions;
import io.sluice.harness.store.TableView;
import io.sluice.netty.PeerAccess;
import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Printable;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Limit;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.PageCache;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A store with Sluice embedded in it, as a database would do it. Thread-safe. */
final class RunningNode implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 10;

    private final Node self;
    private final LocalStore store;
    private final StreamingNode engine;
    private final SlowDisk disk;
    private final Fetches fetches;

    private RunningNode(Node self, LocalStore store, StreamingNode engine, SlowDisk disk) {
        this.self = self;
        this.store = store;
        this.engine = engine;
        this.disk = disk;
        this.fetches = new Fetches(order -> Fetch.start(engine, self, order));
    }

    /** Opens the store and starts the engine. */
    static RunningNode start(NodeSettings settings, StreamOptions.Builder streaming) throws IOException {
        return start(settings, streaming, Authorizer.EVERYTHING);
    }

    /** The same with an authorizer for peers and administrators. */
    static RunningNode start(NodeSettings settings, StreamOptions.Builder streaming, Authorizer authorizer)
            throws IOException {
        Node self = new Node(
                        settings.nodeId()
                                .orElseGet(() -> UUID.nameUUIDFromBytes(
                                        settings.nodeName().getBytes(StandardCharsets.UTF_8))),
                        settings.nodeName(),
                        new Address(settings.listenAddress(), settings.storagePort()),
                        settings.initialToken().stream().map(Token::new).toList())
                .in(settings.dc(), settings.rack());
        LocalStore store = LocalStore.open(settings.dataFileDirectories(), storeOptions(settings));
        try {
            PageCache cache = settings.streamDropPageCache() ? new DdPageCache() : PageCache.KEEP;
            SlowDisk disk = new SlowDisk(new FileSystemDisk(cache));
            StreamingNode engine = StreamingNode.start(
                    self,
                    streaming.authorizer(authorizer).build(),
                    store.streamed().on(disk));
            try {
                store.load();
                return new RunningNode(self, store, engine, disk);
            } catch (IOException e) {
                engine.close();
                throw e;
            }
        } catch (IOException e) {
            store.close();
            throw e;
        }
    }

    private static StoreOptions storeOptions(NodeSettings settings) {
        CompactionStrategy compaction = switch (settings.compaction()) {
            case NONE -> CompactionStrategy.NONE;
            case SIZE_TIERED -> new SizeTiered();
            case LEVELED -> new Leveled(Leveled.DEFAULT_SSTABLE_BYTES);
        };
        return new StoreOptions(settings.commitlogSync(), settings.memtableHeapSpace(), compaction);
    }

    NodeInfo status() throws IOException {
        List<TableStatus> tables = new ArrayList<>();
        for (TableRef table : store.refs()) {
            try (TableView view = store.view(table.id())) {
                long bytes =
                        view.sstables().stream().mapToLong(SSTable::bytesOnDisk).sum();
                tables.add(new TableStatus(table, view.sstables().size(), bytes));
            }
        }
        return new NodeInfo(
                self,
                engine.transport(),
                fetches.all().stream()
                        .filter(fetch -> !fetch.hasEnded())
                        .map(fetch -> NodeInfo.Mode.of(fetch.operation()))
                        .findFirst()
                        .orElse(NodeInfo.Mode.NORMAL),
                tables,
                engine.volumes().stream().map(VolumeStatus::of).toList());
    }

    /** Starts to fetch; repeating a request has no further effect. */
    FetchState fetch(AdminRequests.Fetch order) throws IOException {
        for (RingTables shared : order.rings()) {
            for (TableRef table : shared.tables()) {
                store.createTable(table);
            }
        }
        return fetches.begin(order).state();
    }

    FetchState fetchState(UUID planId) {
        return fetches.of(planId).state();
    }

    List<RangeDigest> digests(AdminRequests.Digest order) throws IOException {
        List<RangeDigest> digests = new ArrayList<>();
        try (TableView view = store.view(order.tableId())) {
            for (TokenRange range : order.ranges()) {
                digests.add(new RangeDigest(range, view.digest(TokenRanges.of(range))));
            }
        }
        return digests;
    }

    List<AdminRequests.Stored> stored(AdminRequests.Digest order) throws IOException {
        List<AdminRequests.Stored> stored = new ArrayList<>();
        try (TableView view = store.view(order.tableId())) {
            for (TokenRange range : order.ranges()) {
                stored.add(new AdminRequests.Stored(view.stored(range)));
            }
        }
        return stored;
    }

    NetStats netStats() throws IOException {
        return new NetStats(
                status(),
                fetches.all().stream().map(Fetch::state).toList(),
                sending(),
                engine.obsoletePinnedBytes(),
                engine.throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND),
                engine.peerAccess().holds().stream()
                        .map(hold -> new HoldStatus(
                                hold.who(), hold.times(), hold.left().toSeconds(), Printable.text(hold.reason())))
                        .toList());
    }

    /** The engine's report of what it sends, with a timeout. */
    private List<SendingProgress> sending() throws IOException {
        try {
            return engine.sending().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IOException("the engine did not report what it sends within " + PATIENCE_SECONDS + " s", e);
        } catch (ExecutionException e) {
            throw new IOException("the engine cannot report what it sends: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for the engine's report");
        }
    }

    /** Peers on hold, and the requests of administrators. */
    PeerAccess peerAccess() {
        return engine.peerAccess();
    }

    void clearHold(AdminRequests.ClearHold order) {
        if (!engine.peerAccess().clearHold(order.who())) {
            throw new IllegalArgumentException(
                    order.who() + ": is not on hold (expected: as './sluice netstats' names it)");
        }
    }

    /** Cancels the fetch of one plan. */
    void cancel(AdminRequests.Cancel order) {
        fetches.of(order.planId()).cancel();
    }

    /** Pauses or resumes the fetch of one plan. */
    void pause(AdminRequests.Pause order) {
        fetches.of(order.planId()).pause(order.isPaused());
    }

    /** Makes the fetch of one plan more or less urgent. */
    void prioritize(AdminRequests.Prioritize order) {
        fetches.of(order.planId()).prioritize(order.priority());
    }

    void setThroughput(AdminRequests.Throughput order) {
        engine.throughput(order.limit(), order.bytesPerSecond());
    }

    void setDiskRate(AdminRequests.DiskRate order) {
        disk.setRate(order.bytesPerSecond());
    }

    void createTable(AdminRequests.CreateTable order) throws IOException {
        store.createTable(order.table(), order.cql());
    }

    void write(AdminRequests.Write order) throws IOException {
        Bytes encoded = Bytes.wrap(Base64.getDecoder().decode(order.mutations()));
        store.write(order.tableId(), store.codec(order.tableId()).readAll(encoded));
    }

    AdminRequests.Found read(AdminRequests.Read order) throws IOException {
        List<PartitionKey> keys = order.keys().stream()
                .map(key -> PartitionKey.of(Bytes.utf8(key)))
                .toList();
        try (TableView view = store.view(order.tableId())) {
            Bytes found = store.codec(order.tableId()).writeAll(view.read(keys));
            return new AdminRequests.Found(Base64.getEncoder().encodeToString(found.toArray()));
        }
    }

    void truncate(AdminRequests.OnTable order) throws IOException {
        store.truncate(order.tableId());
    }

    void drop(AdminRequests.OnTable order) throws IOException {
        store.drop(order.tableId());
    }

    /** Compacts all SSTables of a table, memtable included, into one. */
    void compact(AdminRequests.OnTable order) throws IOException {
        store.flush();
        store.compact(order.tableId(), new MajorCompaction());
    }

    void flush() throws IOException {
        store.flush();
    }

    void takePart(AdminRequests.TakePart order) {
        if (order.hasMissed()) {
            store.streamed().missed(order.tableId());
        }
        store.streamed().takePart(order.tableId(), TokenRanges.of(order.ranges()), Instant.now());
    }

    @Override
    public void close() throws IOException {
        engine.close();
        store.close();
    }
}
