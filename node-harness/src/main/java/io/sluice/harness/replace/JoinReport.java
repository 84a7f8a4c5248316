package io.sluice.harness.replace;

import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.TextTable;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What was brought, from whom, and what is proved of it. Immutable.
 *
 * @param operation id of the hold, and of the snapshots
 * @param from who was asked for each range
 * @param transfers one for each table and source; none if the node had gone on before
 * @param leftToCassandra in order of their names, keyspaces that the node fetched by itself, and why
 * @param held how long the node waited
 */
public record JoinReport(
        UUID operation,
        JoinOrder.From from,
        List<Transfer> transfers,
        Map<String, String> leftToCassandra,
        Duration held) {
    public JoinReport {
        transfers = List.copyOf(transfers);
        leftToCassandra = Collections.unmodifiableMap(new TreeMap<>(leftToCassandra));
    }

    /**
     * What a source gave of a table.
     *
     * @param ranges how many ranges it was asked for; in each the digest of what landed equals that of what was pinned
     * @param digest sum of the digests of the ranges
     */
    public record Transfer(
            String source,
            String table,
            int ranges,
            int pinnedSSTables,
            long pinnedBytes,
            int landedSSTables,
            long landedBytes,
            String digest) {}

    /** Bytes that landed. */
    public long bytes() {
        return transfers.stream().mapToLong(Transfer::landedBytes).sum();
    }

    /** For an operator. */
    public void print(PrintStream out) {
        if (transfers.isEmpty()) {
            out.println("this run brought nothing");
        } else {
            printTransfers(out);
        }
        leftToCassandra.forEach(
                (keyspace, reason) -> out.println("left to Cassandra: keyspace " + keyspace + ", since " + reason));
    }

    private void printTransfers(PrintStream out) {
        TextTable table = new TextTable("table", "source", "ranges", "pinned", "landed", "digest, equal in each range");
        transfers.forEach(transfer -> table.row(
                transfer.table(),
                transfer.source(),
                String.valueOf(transfer.ranges()),
                ByteFormat.text(transfer.pinnedBytes()),
                ByteFormat.text(transfer.landedBytes()),
                transfer.digest()));
        table.print(out);
    }
}
