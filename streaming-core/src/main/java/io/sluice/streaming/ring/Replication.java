package io.sluice.streaming.ring;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Which nodes hold a range. Keyspaces with equal replication place their ranges alike. Immutable. */
public sealed interface Replication {
    /**
     * SimpleStrategy: the node whose token ends the range and the next distinct nodes clockwise.
     *
     * @param factor at least 1; with fewer nodes than that, every node holds everything
     */
    record Simple(int factor) implements Replication {
        public Simple {
            checkFactor(factor, 1);
        }
    }

    /**
     * NetworkTopologyStrategy: in each data centre on its own, the first distinct nodes clockwise, a node of a rack
     * that already has one only where there are too few racks.
     *
     * @param factors the number of replicas by the name of the data centre; a data centre that is not named has none
     */
    record NetworkTopology(Map<String, Integer> factors) implements Replication {
        public NetworkTopology {
            factors.values().forEach(factor -> checkFactor(factor, 0));
            factors = Collections.unmodifiableMap(new TreeMap<>(factors));
        }
    }

    /**
     * Each part of one table is placed by hand.
     *
     * @param tablets ascending, without gap; the last ends at the highest token
     */
    record Tablets(List<Tablet> tablets) implements Replication {
        public Tablets {
            tablets = List.copyOf(tablets);
            for (int i = 1; i < tablets.size(); i++) {
                if (tablets.get(i - 1).last().compareTo(tablets.get(i).last()) >= 0) {
                    throw new IllegalArgumentException(
                            "tablets: " + tablets.get(i).last() + " after "
                                    + tablets.get(i - 1).last() + " (expected: ascending)");
                }
            }
            if (tablets.isEmpty() || tablets.get(tablets.size() - 1).last().value() != Long.MAX_VALUE) {
                throw new IllegalArgumentException(
                        "tablets: the last one does not end at " + Long.MAX_VALUE + ": part of the ring has no tablet");
            }
        }
    }

    private static void checkFactor(int factor, int least) {
        if (factor < least || factor > 1_000) {
            throw new IllegalArgumentException("replication factor: " + factor + " (expected: " + least + "..1000)");
        }
    }
}
