package io.sluice.harness.load;

import io.sluice.harness.store.Mutation;
import io.sluice.harness.store.MutationCodec;
import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.ColumnData;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.Unfiltered;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.type.CqlType.Scalar;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * A table that is written to during streaming: one row per key. Immutable.
 *
 * @param gcGraceSeconds how long deletions must be kept
 */
public record LoadTable(TableRef ref, int gcGraceSeconds) {
    private static final int TEN_DAYS = 864_000;

    /** The table of a scenario with {@code --load}. */
    public static final LoadTable DEFAULT = new LoadTable(
            new TableRef(new UUID(0x51d1_ce00_e527_11f1L, 0x8440_cfee_5840_10adL), "load", "writes"), TEN_DAYS);

    private static final Column COLUMN1 = Column.of("column1", Scalar.INT);
    private static final Column VALUE = Column.of("value", Scalar.TEXT);

    /** Immutable. */
    static final MutationCodec CODEC = new MutationCodec(new SerializationHeader(
            SerializationHeader.Base.EPOCH, Scalar.TEXT, List.of(), List.of(), List.of(COLUMN1, VALUE)));

    /** A table with this name and Cassandra's default gc_grace_seconds. */
    public static LoadTable named(String name, UUID id) {
        return new LoadTable(new TableRef(id, DEFAULT.ref().keyspace(), name), TEN_DAYS);
    }

    /** Its CREATE TABLE statement. */
    public String cql() {
        return "CREATE TABLE " + ref.keyspace() + "." + ref.name()
                + " (key text PRIMARY KEY, column1 int, value text) WITH compression = {'enabled': false}"
                + " AND gc_grace_seconds = " + gcGraceSeconds + ";";
    }

    /**
     * One row, as a client writes it or a replica stores it.
     *
     * @param timestampMicros since 1970
     * @param value empty if the client deletes the row
     */
    public record Write(String key, long timestampMicros, Optional<String> value) {
        /** A client writes it. */
        public Write(String key, long timestampMicros, String value) {
            this(key, timestampMicros, Optional.of(value));
        }

        PartitionKey partitionKey() {
            return PartitionKey.of(Bytes.utf8(key));
        }

        /** The change of its table that it is. */
        public Mutation toMutation() {
            return value.map(this::insertion).orElseGet(this::deletion);
        }

        private Mutation insertion(String text) {
            List<ColumnData> cells = List.of(
                    Cell.of(COLUMN1, timestampMicros, Bytes.ofInt(text.length())),
                    Cell.of(VALUE, timestampMicros, Bytes.utf8(text)));
            return new Mutation(
                    PartitionHeader.of(partitionKey()),
                    List.of(Row.inserted(ClusteringPrefix.row(), timestampMicros, cells)));
        }

        private Mutation deletion() {
            DeletionTime now = new DeletionTime(timestampMicros, TimeUnit.MICROSECONDS.toSeconds(timestampMicros));
            return new Mutation(new PartitionHeader(partitionKey(), now, Row.NO_STATICS), List.of());
        }

        /** The row in a partition, or empty if it has no value. */
        static Optional<Write> of(Mutation mutation) {
            for (Unfiltered item : mutation.items()) {
                if (item instanceof Row row) {
                    for (ColumnData data : row.columns()) {
                        if (data instanceof Cell cell && cell.column().equals(VALUE)) {
                            String key = mutation.key().bytes().utf8();
                            return Optional.of(new Write(
                                    key, cell.timestamp(), cell.value().utf8()));
                        }
                    }
                }
            }
            return Optional.empty();
        }
    }
}
