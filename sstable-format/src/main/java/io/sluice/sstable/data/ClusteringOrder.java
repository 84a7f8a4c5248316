package io.sluice.sstable.data;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.ValueOrder;
import java.util.Comparator;
import java.util.List;

/** The order of rows and markers inside a partition. Immutable. */
public final class ClusteringOrder implements Comparator<ClusteringPrefix> {
    private final List<Comparator<Bytes>> orders;
    private final boolean[] reversed;

    public ClusteringOrder(List<CqlType> types) {
        this.orders = types.stream().map(ValueOrder::of).toList();
        this.reversed = new boolean[types.size()];
        for (int i = 0; i < reversed.length; i++) {
            reversed[i] = types.get(i).isReversed();
        }
    }

    @Override
    public int compare(ClusteringPrefix a, ClusteringPrefix b) {
        int common = Math.min(a.length(), b.length());
        for (int i = 0; i < common; i++) {
            int order = compare(i, a, b);
            if (order != 0) {
                return order;
            }
        }
        if (a.length() != b.length()) {
            return a.length() < b.length() ? a.kind().side() : -b.kind().side();
        }
        return Integer.compare(a.kind().side(), b.kind().side());
    }

    private int compare(int index, ClusteringPrefix a, ClusteringPrefix b) {
        if (a.isNull(index) || b.isNull(index)) { // first, also where the order is reversed
            return Boolean.compare(b.isNull(index), a.isNull(index));
        }
        return orders.get(index).compare(a.value(index), b.value(index));
    }
}
