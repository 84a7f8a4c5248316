package io.sluice.harness.agent;

import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.json.Json;
import io.sluice.harness.store.DurableFile;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What a source has pinned, and for which node: one operation at a time, stored in a file, so that a restarted agent
 * knows its snapshots. Thread-safe.
 */
final class OperationFile {
    private final Path file;
    private Optional<Kept> kept;

    /**
     * Content of the file. Immutable.
     *
     * @param target id of the node that may fetch
     * @param tables that have a snapshot, or part of one
     * @param taken those whose snapshot is complete; in a file of an agent that did not record it, none
     */
    record Kept(UUID operation, UUID target, List<TableRef> tables, List<Pinned> taken) {
        @SuppressWarnings("NullAway") // Jackson passes null for what a file does not have
        Kept {
            tables = List.copyOf(tables);
            taken = taken == null ? List.of() : List.copyOf(taken);
        }

        /** What was pinned of a table; empty if its snapshot is not complete. */
        Optional<Pinned> taken(TableRef table) {
            return taken.stream().filter(pinned -> pinned.table().equals(table)).findFirst();
        }

        private List<Pinned> takenBut(TableRef table) {
            return taken.stream()
                    .filter(pinned -> !pinned.table().equals(table))
                    .toList();
        }
    }

    OperationFile(Path file) throws IOException {
        this.file = file;
        this.kept =
                AgentFile.read(file, Kept.class, "clear snapshots named sluice-* by nodetool, then remove the file");
    }

    synchronized Optional<Kept> kept() {
        return kept;
    }

    /**
     * Records that a table will be pinned: from now on it may have part of a snapshot, and has no complete one.
     *
     * @throws IllegalArgumentException if another operation is in progress
     */
    synchronized void add(UUID operation, UUID target, TableRef table) throws IOException {
        if (kept.isPresent() && !kept.get().operation().equals(operation)) {
            throw new IllegalArgumentException("this agent keeps snapshots of operation "
                    + kept.get().operation()
                    + " for another node (expected: one operation at a time; if nobody continues"
                    + " it, stop this agent, clear snapshots named sluice-"
                    + kept.get().operation()
                    + "-* by nodetool, remove " + file + ", and start it again)");
        }
        List<TableRef> tables = new ArrayList<>(kept.map(Kept::tables).orElse(List.of()));
        if (!tables.contains(table)) {
            tables.add(table);
        }
        write(new Kept(
                operation, target, tables, kept.map(now -> now.takenBut(table)).orElse(List.of())));
    }

    /**
     * Records that the snapshot of a table is complete.
     *
     * @throws IllegalStateException if {@link #add} was not called for it before
     */
    synchronized void complete(UUID operation, Pinned pinned) throws IOException {
        Kept now = kept.filter(before -> before.operation().equals(operation))
                .filter(before -> before.tables().contains(pinned.table()))
                .orElseThrow(() -> new IllegalStateException(
                        pinned.table() + " is not about to be pinned for operation " + operation));
        List<Pinned> taken = new ArrayList<>(now.takenBut(pinned.table()));
        taken.add(pinned);
        write(new Kept(operation, now.target(), now.tables(), taken));
    }

    /** A table is not pinned by {@code operation} any more; what is kept of another operation stays. */
    synchronized void remove(UUID operation, TableRef table) throws IOException {
        // A coordinator that was paused may release late what another one has pinned anew.
        Optional<Kept> its = kept.filter(now -> now.operation().equals(operation));
        if (its.isPresent()) {
            List<TableRef> rest = its.get().tables().stream()
                    .filter(other -> !other.equals(table))
                    .toList();
            if (rest.isEmpty()) {
                Files.deleteIfExists(file);
                kept = Optional.empty();
            } else {
                write(new Kept(operation, its.get().target(), rest, its.get().takenBut(table)));
            }
        }
    }

    private void write(Kept next) throws IOException {
        DurableFile.write(file, Json.MAPPER.writeValueAsString(next));
        kept = Optional.of(next);
    }
}
