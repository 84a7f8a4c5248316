package io.sluice.harness.agent;

import io.sluice.harness.json.Json;
import io.sluice.harness.store.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The rebuild of the node, if one has begun: stored in a file, so that a restarted agent goes on with it. It ends with
 * the process of the node: one that starts again has missed writes, also in ranges that were complete. Thread-safe.
 */
final class RebuildFile {
    private final Path file;
    private Optional<Kept> kept;

    /**
     * Content of the file. Immutable.
     *
     * @param nodeStartMillis when the process of the node started, by its own clock, since 1970
     * @param begunMillis when the rebuild began, since 1970
     * @param marked ranges that are complete, by keyspace
     */
    record Kept(UUID operation, long nodeStartMillis, long begunMillis, Map<String, List<String>> marked) {
        Kept {
            marked = Map.copyOf(marked);
        }
    }

    RebuildFile(Path file) throws IOException {
        this.file = file;
        this.kept = AgentFile.read(file, Kept.class, "remove it, and run the rebuild again");
    }

    synchronized Optional<Kept> kept() {
        return kept;
    }

    /** Whether this is the rebuild that has begun. */
    synchronized boolean is(String operation) {
        return kept.filter(now -> now.operation().toString().equals(operation)).isPresent();
    }

    /** Begins, or goes on with what has begun since the node started. */
    synchronized Kept begin(long nodeStartMillis, long nowMillis) throws IOException {
        Optional<Kept> same = kept.filter(now -> now.nodeStartMillis() == nodeStartMillis);
        return same.isPresent() ? same.get() : write(new Kept(UUID.randomUUID(), nodeStartMillis, nowMillis, Map.of()));
    }

    /**
     * Records that these ranges are complete.
     *
     * @throws IOException if the rebuild is over, or the node has started again since it began
     */
    synchronized void mark(UUID operation, long nodeStartMillis, String keyspace, List<String> ranges)
            throws IOException {
        Kept now = kept.filter(begun -> begun.operation().equals(operation))
                .orElseThrow(() -> new IOException("rebuild " + operation + " is over (run the command again)"));
        if (now.nodeStartMillis() != nodeStartMillis) {
            throw new IOException("the node has started again since its rebuild began, and has missed writes (expected:"
                    + " one process from the first pin to the last import; run the command again: it begins anew)");
        }
        Map<String, List<String>> marked = new LinkedHashMap<>(now.marked());
        marked.put(keyspace, List.copyOf(ranges));
        write(new Kept(operation, nodeStartMillis, now.begunMillis(), marked));
    }

    /** It is over; one that has ended already stays so. */
    synchronized void end(UUID operation) throws IOException {
        if (is(operation.toString())) {
            Files.deleteIfExists(file);
            kept = Optional.empty();
        }
    }

    private Kept write(Kept next) throws IOException {
        DurableFile.write(file, Json.MAPPER.writeValueAsString(next));
        kept = Optional.of(next);
        return next;
    }
}
