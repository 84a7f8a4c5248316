package io.sluice.sstable.json;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.ColumnData;
import io.sluice.sstable.data.ComplexColumn;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.Liveness;
import io.sluice.sstable.data.Marker;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.Unfiltered;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.Values;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Prints the partitions of an SSTable as JSON, like {@code sstabledump -t} of the Cassandra release that writes its
 * version: timestamps are raw microseconds, positions are offsets in the uncompressed Data.db. The position of a static
 * row is its end. The position of a partition is its start in {@code nb}, and that of its first row from 5.0 on. Unlike
 * sstabledump it prints counters as their value. Not thread-safe.
 */
public final class Dump {
    private final PartitionReader reader;
    private final SerializationHeader header;
    private final Version version;
    private final long nowSeconds;
    private final JsonWriter json;

    /**
     * Creates a dump of the partitions of {@code reader}.
     *
     * @param version of the SSTable that {@code reader} reads
     * @param nowSeconds seconds since 1970, to decide what has expired
     */
    public Dump(PartitionReader reader, Version version, long nowSeconds, Appendable out) {
        this.reader = reader;
        this.version = version;
        this.header = reader.header();
        this.nowSeconds = nowSeconds;
        this.json = new JsonWriter(out);
    }

    /** Prints all partitions. */
    public void print() throws IOException {
        json.beginArray();
        for (Optional<Partition> partition = reader.next(); partition.isPresent(); partition = reader.next()) {
            json.newLine();
            partition(partition.get());
        }
        json.endArray();
    }

    private void partition(Partition partition) throws IOException {
        PartitionHeader head = partition.header();
        json.beginObject();
        if (version.hasUnsignedDeletionTimes()) {
            json.name("table kind").string("REGULAR"); // always: the tool has no schema
        }
        json.name("partition").beginObject().name("key").beginArray();
        for (String part : keyParts(header.keyType(), head.key().bytes())) {
            json.string(part);
        }
        json.endArray().name("position");
        json.number(version.hasUnsignedDeletionTimes() ? reader.contentPosition() : reader.itemPosition());
        deletion(head.deletion());
        json.endObject().name("rows").beginArray();
        if (!head.staticRow().isEmpty()) {
            row(head.staticRow(), reader.contentPosition());
        }
        for (Optional<Unfiltered> item = partition.next(); item.isPresent(); item = partition.next()) {
            json.newLine();
            if (item.get() instanceof Row row) {
                row(row, reader.itemPosition());
            } else if (item.get() instanceof Marker marker) {
                marker(marker);
            }
        }
        json.endArray().endObject();
    }

    private static List<String> keyParts(CqlType type, Bytes key) {
        if (!(type instanceof CqlType.Composite composite)) {
            return List.of(KeyText.of(type, key));
        }
        String[] parts = new String[composite.parts().size()];
        ByteBuffer in = key.asBuffer();
        for (int i = 0; i < parts.length; i++) {
            boolean isThere = in.remaining() > 2 && (in.getShort(in.position()) & 0xffff) <= in.remaining() - 3;
            Bytes part = isThere ? Values.take(in, in.getShort() & 0xffff) : Values.take(in, in.remaining());
            parts[i] = KeyText.of(composite.parts().get(i), part);
            in.position(Math.min(in.limit(), in.position() + 1));
        }
        return List.of(parts);
    }

    private void row(Row row, long position) throws IOException {
        json.beginObject().name("type").string(row.isStatic() ? "static_block" : "row");
        json.name("position").number(position);
        if (!row.isStatic() && row.clustering().length() > 0) {
            clustering(row.clustering());
        }
        if (!row.liveness().isNone()) {
            json.name("liveness_info").beginObject();
            json.name("tstamp").string(Long.toString(row.liveness().timestamp()));
            expiry(row.liveness().ttl(), row.liveness().localDeletionTime());
            json.endObject();
        }
        deletion(row.deletion());
        json.name("cells").beginArray();
        for (ColumnData data : row.columns()) {
            columnData(data, row.liveness());
        }
        json.endArray().endObject();
    }

    private void columnData(ColumnData data, Liveness liveness) throws IOException {
        if (data instanceof Cell cell) {
            cell(cell, liveness);
        } else if (data instanceof ComplexColumn complex) {
            if (!complex.deletion().isLive()) {
                json.beginObject().name("name").string(complex.column().toString());
                deletion(complex.deletion());
                json.endObject();
            }
            for (Cell cell : complex.cells()) {
                cell(cell, liveness);
            }
        }
    }

    private void cell(Cell cell, Liveness liveness) throws IOException {
        json.beginObject().name("name").string(cell.column().toString());
        CqlType type = cell.column().type();
        if (cell.column().isMultiCell()) {
            json.name("path").beginArray().string(path(type, cell.path())).endArray();
        }
        if (cell.isTombstone()) {
            json.name("deletion_info").beginObject();
            json.name("local_delete_time").string(Long.toString(cell.localDeletionTime()));
            json.endObject();
        } else {
            json.name("value");
            ValueJson.write(valueType(type, cell.path()), cell.value(), json);
        }
        if (liveness.isNone() || cell.timestamp() != liveness.timestamp()) {
            json.name("tstamp").string(Long.toString(cell.timestamp()));
        }
        if (cell.isExpiring() && (cell.ttl() != liveness.ttl() || !liveness.isExpiring())) {
            expiry(cell.ttl(), cell.localDeletionTime());
        }
        json.endObject();
    }

    private static String path(CqlType type, Bytes path) {
        if (type instanceof CqlType.UserType user) {
            int field = fieldNumber(user, path);
            return field < 0 ? path.hex() : user.fields().get(field).name();
        }
        if (type instanceof CqlType.ListOf) {
            return KeyText.of(CqlType.Scalar.TIMEUUID, path);
        }
        if (type instanceof CqlType.SetOf set) {
            return KeyText.of(set.element(), path);
        }
        return type instanceof CqlType.MapOf map ? KeyText.of(map.key(), path) : path.hex();
    }

    private static CqlType valueType(CqlType type, Bytes path) {
        if (type instanceof CqlType.UserType user) {
            int field = fieldNumber(user, path);
            return field < 0 ? CqlType.Scalar.BLOB : user.fields().get(field).type();
        }
        if (type instanceof CqlType.ListOf list) {
            return list.element();
        }
        if (type instanceof CqlType.MapOf map) {
            return map.value();
        }
        return type instanceof CqlType.SetOf ? CqlType.Scalar.EMPTY : type;
    }

    /** Index of the field, or -1 if there is no such field. */
    private static int fieldNumber(CqlType.UserType user, Bytes path) {
        int field = path.length() == 2 ? path.asBuffer().getShort() : -1;
        return field < user.fields().size() ? field : -1;
    }

    private void expiry(int ttl, long localDeletionTime) throws IOException {
        if (ttl != 0) {
            json.name("ttl").number(ttl);
            json.name("expires_at").string(Long.toString(localDeletionTime));
            json.name("expired").bool(localDeletionTime <= nowSeconds);
        }
    }

    private void marker(Marker marker) throws IOException {
        ClusteringPrefix at = marker.clustering();
        json.beginObject().name("type");
        json.string(at.kind().isBoundary() ? "range_tombstone_boundary" : "range_tombstone_bound");
        boolean isBefore = at.kind().side() < 0;
        if (at.kind().isStart()) {
            bound("start", isBefore, at, marker.starting());
        }
        if (at.kind().isEnd()) {
            bound("end", !isBefore, at, marker.ending());
        }
        json.endObject();
    }

    private void bound(String name, boolean isInclusive, ClusteringPrefix at, DeletionTime deletion)
            throws IOException {
        json.name(name).beginObject().name("type").string(isInclusive ? "inclusive" : "exclusive");
        if (at.length() > 0) {
            clustering(at);
        }
        deletion(deletion);
        json.endObject();
    }

    private void clustering(ClusteringPrefix at) throws IOException {
        json.name("clustering").beginArray();
        List<CqlType> types = header.clusteringTypes();
        for (int i = 0; i < types.size(); i++) {
            if (i >= at.length()) {
                json.string("*");
            } else if (at.isNull(i)) {
                json.nothing();
            } else {
                ValueJson.write(types.get(i), at.value(i), json);
            }
        }
        json.endArray();
    }

    private void deletion(DeletionTime deletion) throws IOException {
        if (!deletion.isLive()) {
            json.name("deletion_info").beginObject();
            json.name("marked_deleted").string(Long.toString(deletion.timestamp()));
            json.name("local_delete_time").string(Long.toString(deletion.localDeletionTime()));
            json.endObject();
        }
    }
}
