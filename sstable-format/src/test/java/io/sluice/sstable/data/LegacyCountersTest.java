package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.type.CqlType.Scalar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counters with shards as Cassandra wrote them before 2.1. */
class LegacyCountersTest {
    private static final Column COUNT = Column.of("count", Scalar.COUNTER);
    private static final Column OF_ALL = Column.of("of_all", Scalar.COUNTER);
    private static final SerializationHeader HEADER = new SerializationHeader(
            SerializationHeader.Base.EPOCH, Scalar.TEXT, List.of(Scalar.INT), List.of(OF_ALL), List.of(COUNT));
    private static final int GLOBAL = Short.MIN_VALUE;

    @TempDir
    Path directory;

    private int nextId = 1;

    /** A context of {@code shards} shards, of which {@code header} names some. */
    private static Bytes context(int shards, int... header) {
        GrowingBuffer out = new GrowingBuffer();
        out.putShort(header.length);
        for (int element : header) {
            out.putShort(element);
        }
        for (int i = 0; i < shards; i++) {
            out.putLong(7).putLong(i).putLong(5 + i).putLong(100 + i);
        }
        return out.toBytes();
    }

    private SSTable sstable(Bytes count) throws IOException {
        Descriptor descriptor = new Descriptor(Version.NB, new SSTableId.Sequence(nextId++));
        Row row = Row.inserted(ClusteringPrefix.row(Bytes.ofInt(1)), 1, List.of(Cell.of(COUNT, 1, count)));
        var header = new PartitionHeader(
                PartitionKey.of(Bytes.utf8("a")),
                DeletionTime.LIVE,
                Row.statics(List.of(Cell.of(OF_ALL, 1, context(1, GLOBAL)))));
        try (SSTableWriter writer = SSTableWriter.create(directory, descriptor, HEADER, WriterOptions.DEFAULTS)) {
            writer.append(Partition.of(header, List.of(row)));
            return writer.finish();
        }
    }

    private boolean isFlagged(Bytes count) throws IOException {
        return sstable(count).statistics().stats().content().hasLegacyCounterShards();
    }

    @Test
    void are_noted_in_the_statistics() throws IOException {
        assertThat(isFlagged(context(2, GLOBAL, GLOBAL + 1))).isFalse();
        assertThat(isFlagged(context(2, GLOBAL, 1))).as("local").isTrue();
        assertThat(isFlagged(context(2, GLOBAL))).as("of another node").isTrue();
        assertThat(isFlagged(context(1))).as("of another node alone").isTrue();
        assertThat(isFlagged(Bytes.EMPTY)).as("no context").isFalse();
        assertThat(isFlagged(context(0, GLOBAL, GLOBAL + 1)))
                .as("a header without shards")
                .isTrue();
    }

    @Test
    void may_leave_the_node_as_rows_only() throws IOException {
        assertThat(sstable(context(1, GLOBAL)).onlyRows()).isEmpty();
        assertThat(sstable(context(1, 0)).onlyRows())
                .hasValueSatisfying(why -> assertThat(why).contains("counter shards"));
    }

    @Test
    void are_nobodys_own_when_they_come_from_another_node() throws IOException {
        SSTable source = sstable(context(3, 0, GLOBAL + 1));
        Descriptor descriptor = new Descriptor(Version.NB, new SSTableId.Sequence(nextId++));
        try (PartitionReader reader = PartitionReader.open(source);
                SSTableWriter writer =
                        SSTableWriter.create(directory, descriptor, reader.header(), WriterOptions.DEFAULTS)) {
            writer.appendAll(ForeignRows.of(reader, reader.header()));
            SSTable arrived = writer.finish();

            try (PartitionReader again = PartitionReader.open(arrived)) {
                Partition partition = again.next().orElseThrow();
                assertThat(((Cell) partition.header().staticRow().columns().get(0)).value())
                        .isEqualTo(context(1, GLOBAL));
                Row row = (Row) partition.next().orElseThrow();
                assertThat(((Cell) row.columns().get(0)).value()).isEqualTo(context(3, GLOBAL + 1));
            }
            assertThat(arrived.onlyRows()).isPresent();
        }
    }

    @Test
    void that_are_none_stay_as_they_are() {
        for (Bytes odd : List.of(
                Bytes.EMPTY,
                Bytes.hex("00"),
                Bytes.hex("0001"),
                Bytes.hex("7fff0000"),
                Bytes.hex("ffff"),
                Bytes.hex("8000"))) {
            assertThat(CounterContext.withoutLocal(odd)).isEqualTo(odd);
        }
    }
}
