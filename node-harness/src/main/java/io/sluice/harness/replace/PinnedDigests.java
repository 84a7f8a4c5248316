package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages.DigestOrder;
import io.sluice.harness.agent.AgentMessages.Digests;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.agent.AgentMessages.StoredDigests;
import io.sluice.sstable.token.TokenRange;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * Digests of what sources have pinned; an error also if a snapshot is not what was pinned. Thread-safe.
 *
 * @param operation of the pins
 */
record PinnedDigests(UUID operation, JoinProgress progress) {
    /** Of rows: equal for equal rows, however they are stored. */
    Digests rows(Member source, Pinned table, List<TokenRange> ranges) throws IOException {
        progress.waitsFor("digests of " + table.table() + " at " + source);
        Digests rows = source.agent().pinnedDigests(new DigestOrder(operation, table.table(), ranges));
        requireAsPinned(source, table, rows.sstables(), rows.bytes());
        return rows;
    }

    /** Of stored bytes, without decoding a row: equal only for rows that are stored alike. */
    StoredDigests stored(Member source, Pinned table, List<TokenRange> ranges) throws IOException {
        StoredDigests stored = source.agent().pinnedStored(new DigestOrder(operation, table.table(), ranges));
        requireAsPinned(source, table, stored.sstables(), stored.bytes());
        return stored;
    }

    /** Without this the digests of a snapshot that was removed, and of nothing, would be equal. */
    private static void requireAsPinned(Member source, Pinned table, int sstables, long bytes) throws IOException {
        if (sstables != table.sstables() || bytes != table.bytes()) {
            throw new IOException(table.table() + " at " + source + ": the snapshot has " + sstables
                    + " SSTables of " + bytes + " bytes (expected: " + table.sstables() + " of "
                    + table.bytes()
                    + ", as when it was pinned; was it cleared by nodetool clearsnapshot? Run the command"
                    + " again: the table is pinned anew); nothing of it is imported");
        }
    }
}
