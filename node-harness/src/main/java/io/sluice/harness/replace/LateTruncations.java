package io.sluice.harness.replace;

import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Tables that are truncated after a joining node has imported what was pinned of them: a truncation is for the members
 * of the ring, so that the node may have rows of before. Not thread-safe.
 */
final class LateTruncations {
    private final TablesNow.Source tables;
    private final TablesNow before;
    private final List<TableRef> brought;
    private final JoinProgress progress;
    private final Set<String> found = new TreeSet<>();

    /**
     * What is known in the end.
     *
     * @param found names of the tables, in order
     * @param unknown why there may be others; empty if there are none
     */
    record Truncations(List<String> found, Optional<String> unknown) {
        Truncations {
            found = List.copyOf(found);
        }
    }

    /**
     * Has found none yet.
     *
     * @param before as it was before anything was pinned
     * @param brought what the node has; may be empty
     */
    LateTruncations(TablesNow.Source tables, TablesNow before, List<TableRef> brought, JoinProgress progress) {
        this.tables = tables;
        this.before = before;
        this.brought = List.copyOf(brought);
        this.progress = progress;
    }

    /** Asks, and says each that was not found before. */
    void look() throws IOException {
        if (brought.isEmpty()) {
            return;
        }
        for (TableRef table : tables.ask().truncatedSince(before, brought)) {
            if (found.add(table.toString())) {
                progress.say(table
                        + " was truncated since it was pinned: the node may have rows of before (truncate the table"
                        + " again when it has joined)");
            }
        }
    }

    /** Asks once more when the node has joined: that there is no answer does not undo that. */
    Truncations atTheEnd() {
        Optional<String> unknown = Optional.empty();
        try {
            look();
        } catch (IOException e) {
            progress.say(
                    "the node has its data, and whether a table was truncated meanwhile is unknown: " + e.getMessage());
            unknown = Optional.of(String.valueOf(e.getMessage()));
        }
        return new Truncations(List.copyOf(found), unknown);
    }
}
