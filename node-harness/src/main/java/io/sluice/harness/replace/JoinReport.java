package io.sluice.harness.replace;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.sluice.harness.agent.AgentMessages.Proof;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.TextTable;
import io.sluice.streaming.store.TableRef;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * What was brought, from whom, and what is proved of it. Immutable.
 *
 * @param operation id of the hold, and of the snapshots
 * @param from who was asked for each range
 * @param transfers one for each table and source, also of earlier runs; none if the node had gone on before
 * @param leftToCassandra in order of their names, keyspaces that the node fetched by itself, or that are missing after
 *     a rebuild, and why
 * @param missing in order of their names, keyspaces of which no other node has, or may have, some range, and what that
 *     means
 * @param truncated in order, tables of which the node may have rows of before a truncation
 * @param truncationsUnknown why there may be other such tables; empty if there are none
 * @param streamedBytes that Cassandra itself has streamed to the node, by its own metric; empty if it has no part in
 *     it: after a rebuild
 * @param held how long the node waited, or was rebuilt
 */
public record JoinReport(
        UUID operation,
        JoinOrder.From from,
        List<Transfer> transfers,
        Map<String, String> leftToCassandra,
        Map<String, String> missing,
        List<String> truncated,
        Optional<String> truncationsUnknown,
        Optional<Long> streamedBytes,
        @JsonIgnore Duration held) {
    public JoinReport {
        transfers = List.copyOf(transfers);
        truncated = List.copyOf(truncated);
        leftToCassandra = Collections.unmodifiableMap(new TreeMap<>(leftToCassandra));
        missing = Collections.unmodifiableMap(new TreeMap<>(missing));
    }

    /**
     * What a source gave of a table.
     *
     * @param ranges how many ranges it was asked for; in each the digest of what landed equals that of what was pinned
     * @param byRows in how many of them rows were compared, since they are not stored alike; bytes in the others
     * @param digest SHA-256 of the digests of the ranges
     */
    public record Transfer(
            String source,
            String table,
            int ranges,
            int byRows,
            int pinnedSSTables,
            long pinnedBytes,
            int landedSSTables,
            long landedBytes,
            String digest) {
        static Transfer of(TableRef table, Proof proof) {
            return new Transfer(
                    proof.source(),
                    table.toString(),
                    proof.ranges(),
                    proof.byRows(),
                    proof.pinnedSSTables(),
                    proof.pinnedBytes(),
                    proof.landedSSTables(),
                    proof.landedBytes(),
                    proof.digest());
        }

        /** Whether the other one is about the same table of the same source. */
        boolean isOfTheSame(Transfer other) {
            return source.equals(other.source) && table.equals(other.table);
        }
    }

    /**
     * Whether nothing is left to do, and all that the node has received was pinned, has digests that are equal to those
     * of its pins, and was, as is known, not truncated since.
     */
    @JsonProperty("verified")
    public boolean isVerified() {
        return isWhole() && streamedBytes.orElse(0L) == 0 && !transfers.isEmpty();
    }

    /**
     * Whether nothing is left to do: no keyspace was left to Cassandra, none misses a range, and no table has, or may
     * have, to be truncated again.
     */
    @JsonIgnore
    public boolean isWhole() {
        return leftToCassandra.isEmpty() && missing.isEmpty() && truncated.isEmpty() && truncationsUnknown.isEmpty();
    }

    /** Bytes that landed. */
    public long bytes() {
        return transfers.stream().mapToLong(Transfer::landedBytes).sum();
    }

    /** {@link #held} in seconds, for programs. */
    @JsonProperty("heldSeconds")
    public double heldSeconds() {
        return held.toMillis() / 1000.0;
    }

    /** For an operator. */
    public void print(PrintStream out) {
        if (transfers.isEmpty()) {
            out.println("nothing was brought");
        } else {
            printTransfers(out);
            printSources(out);
        }
        leftToCassandra.forEach((keyspace, reason) -> out.println(
                streamedBytes.isPresent()
                        ? "left to Cassandra: keyspace " + keyspace + ", since " + reason
                        : "not brought: keyspace " + keyspace + ", since " + reason + " (nodetool rebuild -ks "
                                + keyspace + " at the node streams it, unverified)"));
        missing.forEach((keyspace, reason) -> out.println(missing(keyspace, reason)));
        truncated.forEach(table -> out.println("truncated since it was pinned: " + table
                + ", of which the node may have rows of before (truncate the table again)"));
        truncationsUnknown.ifPresent(reason -> out.println("tables truncated meanwhile: unknown, since " + reason
                + " (truncate again what was truncated while the node joined)"));
        streamedBytes.ifPresent(bytes -> out.println("Cassandra itself streamed "
                + (bytes == 0 ? "nothing" : ByteFormat.text(bytes) + ", which nothing has verified")));
        if (isVerified()) {
            out.println(
                    "VERIFIED: " + ByteFormat.text(bytes()) + ", all that the node has received, with equal digests in "
                            + transfers.stream().mapToInt(Transfer::ranges).sum() + " ranges of tables");
        }
    }

    /** A line about a keyspace that {@link #missing} has. */
    static String missing(String keyspace, String reason) {
        return "missing: keyspace " + keyspace + ", " + reason;
    }

    private void printSources(PrintStream out) {
        Map<String, List<Transfer>> bySource =
                transfers.stream().collect(Collectors.groupingBy(Transfer::source, TreeMap::new, Collectors.toList()));
        TextTable table = new TextTable("source", "tables", "SSTables", "bytes", "ranges with equal digests");
        bySource.forEach((source, its) -> table.row(
                source,
                String.valueOf(its.size()),
                String.valueOf(its.stream().mapToInt(Transfer::landedSSTables).sum()),
                ByteFormat.text(its.stream().mapToLong(Transfer::landedBytes).sum()),
                String.valueOf(its.stream().mapToInt(Transfer::ranges).sum())));
        table.print(out);
    }

    private void printTransfers(PrintStream out) {
        TextTable table = new TextTable("table", "source", "ranges", "pinned", "landed", "digest, equal in each range");
        transfers.forEach(transfer -> table.row(
                transfer.table(),
                transfer.source(),
                transfer.ranges() + (transfer.byRows() == 0 ? "" : " (" + transfer.byRows() + " by rows)"),
                ByteFormat.text(transfer.pinnedBytes()),
                ByteFormat.text(transfer.landedBytes()),
                "%.32s".formatted(transfer.digest())));
        table.print(out);
    }
}
