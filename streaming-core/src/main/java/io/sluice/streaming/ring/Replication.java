package io.sluice.streaming.ring;

import io.sluice.sstable.token.Token;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Which nodes hold a range. Keyspaces with equal replication have the same replicas. Immutable. */
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
     * NetworkTopologyStrategy: in each data centre separately, the first distinct nodes clockwise, in different racks
     * as far as possible.
     *
     * @param factors the number of replicas by the name of the data centre; a data centre that is not named has none
     */
    record NetworkTopology(Map<String, Integer> factors) implements Replication {
        public NetworkTopology {
            factors.values().forEach(factor -> checkFactor(factor, 0));
            factors = Collections.unmodifiableMap(new TreeMap<>(factors));
        }

        // Written out as in Token.
        @Override
        public boolean equals(Object other) {
            return other instanceof NetworkTopology topology && topology.factors.equals(factors);
        }

        @Override
        public int hashCode() {
            return factors.hashCode();
        }
    }

    /**
     * Tablets: each part of one table has its own replicas.
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

    /**
     * A part of one table that migrates as a unit: the tokens after the tablet before it, up to and including
     * {@code last}. Immutable.
     *
     * @param replicas ids of the nodes that hold it, the leader first
     * @param pending ids of the nodes that will hold it after a migration in progress; otherwise the same as
     *     {@code replicas}
     */
    record Tablet(Token last, List<UUID> replicas, List<UUID> pending) {
        public Tablet {
            replicas = distinct(replicas);
            pending = distinct(pending);
        }

        /** A tablet that does not migrate. */
        public Tablet(Token last, List<UUID> replicas) {
            this(last, replicas, replicas);
        }

        /** The tablet after its migration. */
        Tablet settled() {
            return new Tablet(last, pending);
        }

        /** The tablet with {@code substitute} in the place of {@code replaced}. */
        Tablet substitute(UUID replaced, UUID substitute) {
            return new Tablet(last, swap(replicas, replaced, substitute), swap(pending, replaced, substitute));
        }

        private static List<UUID> swap(List<UUID> ids, UUID replaced, UUID substitute) {
            return ids.stream().map(id -> id.equals(replaced) ? substitute : id).toList();
        }

        private static List<UUID> distinct(List<UUID> ids) {
            if (ids.isEmpty() || new LinkedHashSet<>(ids).size() != ids.size()) {
                throw new IllegalArgumentException("tablet: replicas " + ids + " (expected: distinct, at least one)");
            }
            return List.copyOf(ids);
        }
    }
}
