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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cassandra snapshots as pins: one for each table of an operation, taken on request of a coordinator, and cleared table
 * by table. Thread-safe.
 */
final class Snapshots {
    private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

    private final ManagedNode node;
    private final OperationFile file;

    Snapshots(ManagedNode node, OperationFile file) {
        this.node = node;
        this.file = file;
    }

    /** A unique name for each table, since snapshots are cleared by keyspace and name. */
    private static String tag(UUID operation, TableRef table) {
        return "sluice-" + operation + "-" + table.id().toString().replace("-", "");
    }

    Optional<UUID> operation() {
        return file.kept().map(Kept::operation);
    }

    /** Takes the snapshots; for a table that already has one, returns its content. */
    List<Pinned> take(Pin order) throws IOException {
        Optional<Kept> before = file.kept()
                .filter(kept -> !kept.operation().equals(order.operation()))
                .filter(kept -> kept.target().equals(order.target()));
        if (before.isPresent()) { // the same node waits again: its earlier wait is over
            clear(before.get().operation(), before.get().tables());
        }
        List<Pinned> pinned = new ArrayList<>();
        for (TableRef table : order.tables()) {
            boolean isThere = file.kept()
                    .filter(kept -> kept.operation().equals(order.operation()))
                    .filter(kept -> kept.tables().contains(table))
                    .isPresent();
            if (!isThere) {
                // Recorded first: an agent that dies in between clears the snapshot later.
                file.add(order.operation(), order.target(), table);
                node.clearSnapshot(tag(order.operation(), table), table.keyspace());
                node.takeSnapshot(tag(order.operation(), table), table);
            }
            pinned.add(describe(table, open(order.operation(), table)));
        }
        return pinned;
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
     * @throws IOException if none is pinned, or one cannot be read: then nothing of it may be sent
     */
    List<SSTable> open(UUID operation, TableRef table) throws IOException {
        require(operation, table);
        List<SSTable> sstables = new ArrayList<>();
        for (Path folder : folders(operation, table)) {
            // A snapshot's folder is named after the snapshot; its table is three levels above.
            TableDirectory.Contents contents =
                    new TableDirectory(folder, table.keyspace(), table.name(), table.id()).contents();
            if (!contents.leftOut().isEmpty()) {
                throw unreadable(contents.leftOut().get(0));
            }
            for (Descriptor descriptor : contents.sstables()) {
                sstables.add(SSTable.open(folder, descriptor));
            }
        }
        return sstables;
    }

    private static IOException unreadable(SSTableException e) {
        return new IOException("cannot read an SSTable of the snapshot: " + e.getMessage(), e);
    }

    private void require(UUID operation, TableRef table) throws IOException {
        boolean isPinned = file.kept()
                .filter(kept -> kept.operation().equals(operation))
                .filter(kept -> kept.tables().contains(table))
                .isPresent();
        if (!isPinned) {
            throw new IOException(table + " is not pinned here for operation " + operation
                    + " (expected: a pin request before this one)");
        }
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

    /** Clears snapshots; they need not exist. */
    void clear(UUID operation, List<TableRef> tables) throws IOException {
        for (TableRef table : tables) {
            node.clearSnapshot(tag(operation, table), table.keyspace());
            file.remove(table);
        }
    }

    /** Clears all of an operation. */
    void clearAll(UUID operation) throws IOException {
        Optional<Kept> kept = file.kept().filter(now -> now.operation().equals(operation));
        if (kept.isPresent()) {
            clear(operation, kept.get().tables());
        }
    }

    /** Why a node may not fetch a table; empty if it may. */
    Optional<String> refusal(UUID peer, TableRef table) {
        Optional<Kept> kept = file.kept();
        if (kept.isEmpty() || !kept.get().tables().contains(table)) {
            return Optional.of(table + " is not pinned by an operation");
        }
        return kept.get().target().equals(peer)
                ? Optional.empty()
                : Optional.of("operation " + kept.get().operation() + " is for node "
                        + kept.get().target());
    }

    /** The view that a session sends from; the snapshot outlives the session. */
    PinnedTable view(TableRef table) throws IOException {
        UUID operation = operation()
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
