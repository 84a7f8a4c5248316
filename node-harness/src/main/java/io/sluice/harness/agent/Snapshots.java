package io.sluice.harness.agent;

import io.sluice.harness.agent.AgentMessages.Pin;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.agent.OperationFile.Kept;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cassandra snapshots as pins: one for each table of an operation, taken on request of a coordinator, and cleared table
 * by table. A snapshot counts once it is complete and recorded so. Thread-safe: pins and clearing, one at a time.
 */
final class Snapshots {
    private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

    private final SnapshotSource node;
    private final OperationFile file;

    Snapshots(SnapshotSource node, OperationFile file) {
        this.node = node;
        this.file = file;
    }

    /** A unique name for each table, since snapshots are cleared by keyspace and name. */
    private static String tag(UUID operation, TableRef table) {
        return "sluice-" + operation + "-" + table.id().toString().replace("-", "");
    }

    /** What is kept, and for whom; empty if nothing is. */
    Optional<AgentMessages.Pins> pins() {
        return file.kept().map(kept -> new AgentMessages.Pins(kept.operation(), kept.target()));
    }

    /**
     * Takes the snapshots; for a table that already has a complete one, returns what it has. One that was removed, or
     * never completed, is taken anew.
     */
    synchronized List<Pinned> take(Pin order) throws IOException {
        Optional<Kept> before = file.kept()
                .filter(kept -> !kept.operation().equals(order.operation()))
                .filter(kept -> kept.target().equals(order.target()));
        if (before.isPresent()) { // the same node waits again: its earlier wait is over
            clear(before.get().operation(), before.get().tables());
        }
        List<Pinned> pinned = new ArrayList<>();
        for (TableRef table : order.tables()) {
            Optional<Pinned> taken = taken(order.operation(), table);
            if (taken.isEmpty() || !isWhole(order.operation(), taken.get())) {
                taken = Optional.of(takeAnew(order, table));
            }
            pinned.add(taken.get());
        }
        return pinned;
    }

    private Optional<Pinned> taken(UUID operation, TableRef table) {
        return file.kept().filter(kept -> kept.operation().equals(operation)).flatMap(kept -> kept.taken(table));
    }

    private Pinned takeAnew(Pin order, TableRef table) throws IOException {
        // Recorded first: an agent that dies in between clears the snapshot later.
        file.add(order.operation(), order.target(), table);
        node.clearSnapshot(tag(order.operation(), table), table.keyspace());
        node.takeSnapshot(tag(order.operation(), table), table);
        Pinned pinned = describe(table, read(order.operation(), table));
        file.complete(order.operation(), pinned);
        return pinned;
    }

    /** Whether a snapshot still has what was recorded: somebody may have cleared it. */
    private boolean isWhole(UUID operation, Pinned taken) throws IOException {
        List<SSTable> found;
        try {
            found = read(operation, taken.table());
        } catch (NoSuchFileException | SSTableException e) {
            LOG.warn("{} is pinned anew: its snapshot is not complete any more", taken.table(), e);
            return false;
        }
        return difference(operation, taken, found).isEmpty();
    }

    /** What was recorded and what is there, in words; empty if it is the same. */
    private static Optional<String> difference(UUID operation, Pinned taken, List<SSTable> found) {
        Pinned now = describe(taken.table(), found);
        return now.sstables() == taken.sstables() && now.bytes() == taken.bytes()
                ? Optional.empty()
                : Optional.of(taken.table() + ": snapshot " + tag(operation, taken.table()) + " has " + now.sstables()
                        + " SSTables of " + now.bytes() + " bytes (expected: " + taken.sstables() + " of "
                        + taken.bytes() + ", as when it was taken; was it cleared by nodetool clearsnapshot? Run the"
                        + " command again: the table is pinned anew)");
    }

    private static Pinned describe(TableRef table, List<SSTable> sstables) {
        return new Pinned(
                table,
                sstables.size(),
                sstables.stream().mapToLong(SSTable::bytesOnDisk).sum(),
                sstables.stream()
                        .map(sstable -> sstable.descriptor().version().toString())
                        .distinct()
                        .sorted()
                        .toList(),
                sstables.stream()
                        .anyMatch(sstable -> sstable.statistics()
                                .stats()
                                .placement()
                                .pendingRepair()
                                .isPresent()));
    }

    /**
     * The pinned SSTables of a table.
     *
     * @throws IOException if none is pinned, one cannot be read, or they are not those that were pinned: then nothing
     *     of it may be sent
     */
    List<SSTable> open(UUID operation, TableRef table) throws IOException {
        Pinned taken = taken(operation, table)
                .orElseThrow(() -> new IOException(table + " is not pinned here for operation " + operation
                        + " (expected: a pin request before this one, and its answer)"));
        List<SSTable> found = read(operation, table);
        Optional<String> difference = difference(operation, taken, found);
        if (difference.isPresent()) {
            throw new IOException(difference.get());
        }
        return found;
    }

    private List<SSTable> read(UUID operation, TableRef table) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Path folder : folders(operation, table)) {
            // A snapshot's folder is named after the snapshot; its table is three levels above.
            TableDirectory.Contents contents =
                    new TableDirectory(folder, table.keyspace(), table.name(), table.id()).contents();
            if (!contents.leftOut().isEmpty()) {
                throw contents.leftOut().get(0).why();
            }
            for (Descriptor descriptor : contents.sstables()) {
                sstables.add(SSTable.open(folder, descriptor));
            }
        }
        return sstables;
    }

    private List<Path> folders(UUID operation, TableRef table) throws IOException {
        List<Path> folders = new ArrayList<>();
        for (Path folder : node.folders(table)) {
            Path snapshot = folder.resolve("snapshots").resolve(tag(operation, table));
            if (Files.isDirectory(snapshot)) {
                folders.add(snapshot);
            }
        }
        return folders;
    }

    /** Clears snapshots of an operation, and of no other; they need not exist. */
    synchronized void clear(UUID operation, List<TableRef> tables) throws IOException {
        for (TableRef table : tables) {
            node.clearSnapshot(tag(operation, table), table.keyspace());
            file.remove(operation, table);
        }
    }

    /** Clears all of an operation. */
    synchronized void clearAll(UUID operation) throws IOException {
        Optional<Kept> kept = file.kept().filter(now -> now.operation().equals(operation));
        if (kept.isPresent()) {
            clear(operation, kept.get().tables());
        }
    }

    /** Why a node may not fetch a table; empty if it may. */
    Optional<String> refusal(UUID peer, TableRef table) {
        Optional<Kept> kept = file.kept();
        if (kept.flatMap(now -> now.taken(table)).isEmpty()) {
            return Optional.of(table + " is not pinned by an operation");
        }
        return kept.filter(now -> !now.target().equals(peer))
                .map(now -> "operation " + now.operation() + " is for node " + now.target());
    }

    /** The view that a session sends from; the snapshot outlives the session. */
    PinnedTable view(TableRef table) throws IOException {
        UUID operation = file.kept()
                .map(Kept::operation)
                .orElseThrow(
                        () -> new IOException(table + " is not pinned here (expected: an operation that needs it)"));
        List<Path> data = open(operation, table).stream()
                .map(sstable -> sstable.path(Component.DATA))
                .toList();
        LOG.info("{}: {} SSTables of operation {}", table, data.size(), operation);
        return new View(table, data);
    }

    private record View(TableRef table, List<Path> sstables) implements PinnedTable {
        @Override
        public void close() {
            LOG.debug("{} is sent no more", table);
        }
    }
}
