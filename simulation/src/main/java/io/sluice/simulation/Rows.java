package io.sluice.simulation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What versions of partitions come to. Stateless. */
final class Rows {
    private Rows() {}

    /** The newest version of each partition, deleted ones without. */
    static Map<Long, Integer> visible(Collection<Row> rows) {
        Map<Long, Integer> values = new TreeMap<>();
        for (Row row : purged(rows)) {
            values.put(row.token(), row.value());
        }
        return values;
    }

    /** The same, as rows. */
    static List<Row> purged(Collection<Row> rows) {
        Map<Long, Row> newest = new TreeMap<>();
        for (Row row : rows) {
            newest.merge(row.token(), row, (a, b) -> a.timestamp() >= b.timestamp() ? a : b);
        }
        List<Row> left = new ArrayList<>(newest.values());
        left.removeIf(Row::isDeleted);
        return left;
    }
}
