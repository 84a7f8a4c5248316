package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.sluice.interop.Cassandra;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.Verification;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.data.BlockIndexCheck;
import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ColumnData;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.Unfiltered;
import io.sluice.sstable.json.Dump;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.metadata.CompactionState;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.sstable.type.CqlType;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.TransferMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Holds the SSTables of a cell against Cassandra, before and after they move. Not thread-safe. */
final class MatrixCheck {
    private static final List<TokenRanges> HALVES =
            List.of(TokenRanges.of(TokenRange.of(Long.MIN_VALUE, 0)), TokenRanges.of(TokenRange.of(0, Long.MAX_VALUE)));

    /** In the reason of a choice. */
    private static final String BY_ESTIMATE = " of CPU as a slice";

    private static final int COUNTER_SHARD_BYTES = 32;

    private final Cassandra cassandra;
    private final MatrixSession session;

    MatrixCheck(Cassandra cassandra, MatrixSession session) {
        this.cassandra = cassandra;
        this.session = session;
    }

    /**
     * What was found right.
     *
     * @param sstables of the cell
     * @param rows in them, with static ones, merged
     * @param whole how many SSTables arrived whole
     * @param halves how many arrived when the halves of the ring were fetched, as slices or whole
     * @param inRows the same, as rows or whole
     */
    record Counts(int sstables, long rows, int whole, int halves, int inRows) {
        /** SSTables that Cassandra has verified. */
        int verified() {
            return sstables + whole + halves + inRows;
        }
    }

    /** Fails with what is wrong, as an assertion or exception. */
    Counts check(MatrixCell cell, Path folder) throws Exception {
        TableDirectory table = TableDirectory.of(folder).orElseThrow();
        List<SSTable> held = MatrixSession.open(table);
        assertThat(held).as("SSTables").isNotEmpty();
        assertThat(held)
                .as("compression")
                .allMatch(sstable -> cell.compression().startsWith(compression(sstable)));
        if (cell.shape().equals("SAI") || cell.shape().equals("SASI")) {
            assertThat(held)
                    .as("indexes")
                    .noneMatch(sstable -> sstable.indexes().isEmpty());
        }
        for (SSTable sstable : held) {
            assertHealthy(sstable, cell.isDumped());
        }
        ContentDigest expected = ContentDigest.of(held, TokenRanges.FULL);
        int whole = moved(table, held, List.of(TokenRanges.FULL), false, expected);
        int halves = moved(table, held, HALVES, false, expected);
        int inRows = moved(table, held, HALVES, true, expected);
        return new Counts(held.size(), expected.rows(), whole, halves, inRows);
    }

    /** As the names of compressions begin. */
    private static String compression(SSTable sstable) {
        return sstable.compression()
                .map(info -> info.parameters().compressor().className().replace("Compressor", ""))
                .orElse("none");
    }

    /** Of the counter that has the most. */
    static int shards(SSTable sstable) throws IOException {
        int most = 0;
        try (PartitionReader reader = PartitionReader.open(sstable)) {
            for (Optional<Partition> partition = reader.next(); partition.isPresent(); partition = reader.next()) {
                for (Optional<Unfiltered> item = partition.get().next();
                        item.isPresent();
                        item = partition.get().next()) {
                    for (ColumnData data : item.get() instanceof Row row ? row.columns() : List.<ColumnData>of()) {
                        if (data instanceof Cell cell && cell.column().type() == CqlType.Scalar.COUNTER) {
                            most = Math.max(most, cell.value().length() / COUNTER_SHARD_BYTES);
                        }
                    }
                }
            }
        }
        return most;
    }

    /** Whether rows may cost less than a slice: with clusterings of 60 KB an index is as long as its data. */
    private static boolean isIndexLong(List<SSTable> sstables) {
        return sstables.stream()
                .anyMatch(sstable -> sstable.components().contains(Component.INDEX)
                        && 2 * sstable.lengthBytes(Component.INDEX) > sstable.lengthBytes(Component.DATA));
    }

    private int moved(
            TableDirectory table, List<SSTable> held, List<TokenRanges> parts, boolean isRows, ContentDigest expected)
            throws Exception {
        List<SSTable> arrived = new ArrayList<>();
        ContentDigest sum = ContentDigest.EMPTY;
        for (TokenRanges part : parts) {
            MatrixSession.Moved moved = session.move(table, part, isRows);
            boolean isWhole = parts.size() == 1;
            if (isWhole) {
                assertThat(moved.modes()).containsOnly(TransferMode.WHOLE);
                assertThat(moved.sstables()).hasSameSizeAs(held);
            } else {
                assertThat(moved.offers())
                        .filteredOn(
                                offer -> !isIndexLong(held) || !offer.reason().contains(BY_ESTIMATE))
                        .extracting(SessionProgress.Offered::mode)
                        .doesNotContain(isRows ? TransferMode.SLICE : TransferMode.ROWS);
            }
            assertThat(indexes(moved.sstables())).isSubsetOf(indexes(held));
            if (isWhole) {
                assertThat(indexes(moved.sstables())).isEqualTo(indexes(held));
            }
            assertThat(states(held)).as("levels and marks of repair").containsAll(states(moved.sstables()));
            arrived.addAll(moved.sstables());
            sum = sum.plus(ContentDigest.of(moved.sstables(), TokenRanges.FULL));
        }
        assertThat(sum).as(isRows ? "rows" : parts.size() + " parts").isEqualTo(expected);
        for (SSTable sstable : arrived) {
            assertThat(Verification.verify(sstable).problems()).isEmpty();
            BlockIndexCheck.check(sstable);
            cassandra.verifyAndDump(sstable.path(Component.DATA), false);
        }
        for (SSTable sstable : arrived) {
            if (Files.exists(sstable.directory())) {
                MoreFiles.deleteRecursively(sstable.directory(), RecursiveDeleteOption.ALLOW_INSECURE);
            }
        }
        return arrived.size();
    }

    private static Set<String> indexes(List<SSTable> sstables) {
        Set<String> names = new HashSet<>();
        sstables.forEach(sstable -> names.addAll(sstable.indexes()));
        return names;
    }

    private static Set<CompactionState> states(List<SSTable> sstables) {
        Set<CompactionState> states = new HashSet<>();
        sstables.forEach(
                sstable -> states.add(sstable.statistics().stats().placement().ofNoHost()));
        return states;
    }

    private void assertHealthy(SSTable sstable, boolean isDumped) throws Exception {
        assertThat(Verification.verify(sstable).problems()).isEmpty();
        BlockIndexCheck.check(sstable);
        String theirs = cassandra.verifyAndDump(sstable.path(Component.DATA), isDumped);
        if (isDumped) {
            boolean hasCounters = hasCounters(sstable);
            assertThat(comparable(dump(sstable), hasCounters)).isEqualTo(comparable(theirs, hasCounters));
        }
    }

    private static boolean hasCounters(SSTable sstable) throws IOException {
        SerializationHeader header =
                SerializationHeader.parse(sstable.statistics().header());
        return header.columns(false).stream().anyMatch(column -> column.type() == CqlType.Scalar.COUNTER);
    }

    private static String dump(SSTable sstable) throws IOException {
        StringBuilder out = new StringBuilder();
        try (PartitionReader reader = PartitionReader.open(sstable)) {
            new Dump(reader, sstable.descriptor().version(), Instant.now().getEpochSecond(), out).print();
        }
        return Cassandra.withoutPositions(out.toString());
    }

    /** Of a counter's value the tool shows the first 8 bytes, which are not the count. */
    private static JsonNode comparable(String dump, boolean hasCounters) throws IOException {
        JsonNode json = Cassandra.json(dump);
        if (hasCounters) {
            json.findParents("value").forEach(cell -> ((ObjectNode) cell).remove("value"));
        }
        return json;
    }
}
