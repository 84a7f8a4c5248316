package io.sluice.simulation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Merges versions of partitions. Stateless. */
final class Rows {
    private Rows() {}

    /** The newest version of each partition, without deleted ones. */
    static Map<Long, Integer> visible(Collection<SimulatedRow> rows) {
        Map<Long, Integer> values = new TreeMap<>();
        for (SimulatedRow row : purged(rows)) {
            values.put(row.token(), row.value());
        }
        return values;
    }

    /** The same, as rows. */
    static List<SimulatedRow> purged(Collection<SimulatedRow> rows) {
        Map<Long, SimulatedRow> newest = new TreeMap<>();
        for (SimulatedRow row : rows) {
            newest.merge(row.token(), row, (a, b) -> a.timestamp() >= b.timestamp() ? a : b);
        }
        List<SimulatedRow> left = new ArrayList<>(newest.values());
        left.removeIf(SimulatedRow::isDeleted);
        return left;
    }
}
