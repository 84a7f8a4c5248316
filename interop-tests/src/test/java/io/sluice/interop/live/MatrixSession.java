package io.sluice.interop.live;

import static java.util.concurrent.TimeUnit.MINUTES;

import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** Three nodes in this process: two sources, of which one sends parts as rows, and a target. Not thread-safe. */
final class MatrixSession implements AutoCloseable {
    private final Path scratch;
    private final AtomicInteger ids = new AtomicInteger(1_000_000);
    private final Node slicing = node(1);
    private final Node rowing = node(2);
    private final List<StreamingNode> nodes = new ArrayList<>();
    private final StreamingNode target;
    private volatile TableDirectory current = new TableDirectory(Path.of(""), "none", "none", new UUID(0, 0));
    private volatile Path arrivals = Path.of("");

    private MatrixSession(Path scratch) throws IOException {
        this.scratch = scratch;
        nodes.add(StreamingNode.start(slicing, StreamOptions.builder().build(), new Store("slicing")));
        nodes.add(StreamingNode.start(
                rowing, StreamOptions.builder().streamSlices(false).build(), new Store("rowing")));
        target = StreamingNode.start(node(3), StreamOptions.builder().build(), new Store("target"));
        nodes.add(target);
    }

    /** Starts them; what arrives lies in {@code scratch}. */
    static MatrixSession start(Path scratch) throws IOException {
        return new MatrixSession(scratch);
    }

    private static Node node(int number) throws IOException {
        return new Node(
                new UUID(number, number),
                "node" + number,
                new Address("127.0.0.1", FreePort.onLoopback()),
                List.of(new Token(number)));
    }

    /**
     * What one session has moved.
     *
     * @param sstables that arrived, in a folder of their own
     * @param offers all that was offered
     */
    record Moved(List<SSTable> sstables, List<SessionProgress.Offered> offers) {
        List<TransferMode> modes() {
            return offers.stream().map(SessionProgress.Offered::mode).toList();
        }
    }

    /** Moves the ranges of a table; as slices and whole SSTables, or as rows where not whole. */
    Moved move(TableDirectory table, TokenRanges ranges, boolean isRows) throws Exception {
        current = table;
        arrivals = Files.createDirectories(Files.createTempDirectory(scratch, "arrived")
                .resolve(table.keyspace())
                .resolve(table.path().getFileName()));
        StreamRequest request = new StreamRequest(
                isRows ? rowing : slicing, new TableRef(table.id(), table.keyspace(), table.name()), ranges);
        PlanResult result = target.execute(new StreamPlan(UUID.randomUUID(), Operation.REPLACE, List.of(request)))
                .get(2, MINUTES);
        if (!result.isComplete()) {
            throw new IOException("not installed: " + result.failure() + " " + result.tables());
        }
        List<SessionProgress.Offered> offers = result.sessions().stream()
                .flatMap(session -> session.offered().stream())
                .toList();
        return new Moved(open(new TableDirectory(arrivals, table.keyspace(), table.name(), table.id())), offers);
    }

    /** All SSTables of a folder. */
    static List<SSTable> open(TableDirectory folder) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : folder.descriptors()) {
            sstables.add(SSTable.open(folder.path(), descriptor));
        }
        return sstables;
    }

    @Override
    public void close() {
        nodes.forEach(StreamingNode::close);
    }

    /** The table of the moment. */
    private final class Store implements TableStore {
        private final Path staging;

        Store(String name) throws IOException {
            this.staging = Files.createDirectories(scratch.resolve("staging-" + name));
        }

        @Override
        public Optional<TableRef> table(UUID tableId) {
            return Optional.of(new TableRef(current.id(), current.keyspace(), current.name()))
                    .filter(known -> known.id().equals(tableId));
        }

        @Override
        public PinnedTable pin(UUID planId, TableRef wanted, TokenRanges ranges) throws IOException {
            return new Pinned(
                    wanted,
                    open(current).stream()
                            .map(sstable -> sstable.path(Component.DATA))
                            .toList());
        }

        @Override
        public Path liveDirectory(TableRef wanted) {
            return arrivals;
        }

        @Override
        public Path stagingDirectory() {
            return staging;
        }

        @Override
        public String newId(TableRef wanted) {
            return String.valueOf(ids.incrementAndGet());
        }

        @Override
        public boolean buildsIndexes() {
            return true; // it would: here only the files matter
        }

        @Override
        public void activate(UUID installId, TableRef wanted, List<Path> dataFiles) {
            // They lie in the folder.
        }
    }

    /** Files that nobody changes. */
    private record Pinned(TableRef table, List<Path> sstables) implements PinnedTable {
        @Override
        public void close() {
            // Nothing was linked.
        }
    }
}
