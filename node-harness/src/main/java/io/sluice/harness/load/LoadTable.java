package io.sluice.harness.load;

import io.sluice.harness.store.Mutation;
import io.sluice.harness.store.MutationCodec;
import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.ColumnData;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.Unfiltered;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.token.PartitionKey;
import io.sluice.sstable.type.CqlType.Scalar;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The table that is written to while others are streamed. Stateless. */
public final class LoadTable {
    public static final TableRef REF =
            new TableRef(new UUID(0x51d1_ce00_e527_11f1L, 0x8440_cfee_5840_10adL), "load", "writes");
    public static final String CQL = "CREATE TABLE load.writes (key text PRIMARY KEY, column1 int, value text)"
            + " WITH compression = {'enabled': false};";

    private static final Column COLUMN1 = Column.of("column1", Scalar.INT);
    private static final Column VALUE = Column.of("value", Scalar.TEXT);

    /** Immutable. */
    static final MutationCodec CODEC = new MutationCodec(new SerializationHeader(
            SerializationHeader.Base.EPOCH, Scalar.TEXT, List.of(), List.of(), List.of(COLUMN1, VALUE)));

    private LoadTable() {}

    /**
     * One row, as a client sets it or a replica has it.
     *
     * @param timestampMicros since 1970
     */
    record Write(String key, long timestampMicros, String value) {
        PartitionKey partitionKey() {
            return PartitionKey.of(Bytes.utf8(key));
        }

        Mutation toMutation() {
            List<ColumnData> cells = List.of(
                    Cell.of(COLUMN1, timestampMicros, Bytes.ofInt(value.length())),
                    Cell.of(VALUE, timestampMicros, Bytes.utf8(value)));
            return new Mutation(
                    PartitionHeader.of(partitionKey()),
                    List.of(Row.inserted(ClusteringPrefix.row(), timestampMicros, cells)));
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
