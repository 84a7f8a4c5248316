package io.sluice.harness.agent;

import com.fasterxml.jackson.core.JacksonException;
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
     * @param tables pinned
     */
    record Kept(UUID operation, UUID target, List<TableRef> tables) {
        Kept {
            tables = List.copyOf(tables);
        }
    }

    OperationFile(Path file) throws IOException {
        this.file = file;
        try {
            this.kept = Files.exists(file)
                    ? Optional.of(Json.MAPPER.readValue(Files.readAllBytes(file), Kept.class))
                    : Optional.empty();
        } catch (JacksonException e) {
            throw new IOException(
                    file + ": malformed (expected: a file written by an agent; clear snapshots named sluice-* by"
                            + " nodetool, then remove the file): " + e.getMessage(),
                    e);
        }
    }

    synchronized Optional<Kept> kept() {
        return kept;
    }

    /**
     * Records that a table will be pinned.
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
        write(new Kept(operation, target, tables));
    }

    /** A table is not pinned any more. */
    synchronized void remove(TableRef table) throws IOException {
        if (kept.isPresent()) {
            List<TableRef> rest = kept.get().tables().stream()
                    .filter(other -> !other.equals(table))
                    .toList();
            if (rest.isEmpty()) {
                Files.deleteIfExists(file);
                kept = Optional.empty();
            } else {
                write(new Kept(kept.get().operation(), kept.get().target(), rest));
            }
        }
    }

    private void write(Kept next) throws IOException {
        DurableFile.write(file, Json.MAPPER.writeValueAsString(next));
        kept = Optional.of(next);
    }
}
