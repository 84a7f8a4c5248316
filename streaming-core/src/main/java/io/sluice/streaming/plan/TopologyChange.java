package io.sluice.streaming.plan;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** A change of the ring, or of its data, that requires streaming. Immutable. */
public sealed interface TopologyChange {
    /** The operation of the stream plans. */
    Operation operation();

    /**
     * Bootstrap: a new node joins the ring.
     *
     * @param joining with its new tokens; it may be in the ring as a joining member
     * @param isStrict whether each range must come from the node that loses it, for strict consistency; otherwise any
     *     replica may send it
     */
    record Bootstrap(Node joining, boolean isStrict) implements TopologyChange {
        @Override
        public Operation operation() {
            return Operation.BOOTSTRAP;
        }
    }

    /**
     * A new node takes over the tokens and tablets of a dead one, at its address or another one.
     *
     * @param dead a member of the ring
     * @param replacement another node; its own tokens are ignored
     */
    record Replace(Node dead, Node replacement) implements TopologyChange {
        @Override
        public Operation operation() {
            return Operation.REPLACE;
        }
    }

    /**
     * Members fetch the ranges that they already own: after the loss of a disk, or for a new data centre.
     *
     * @param targets members of the ring, one or all of a data centre
     * @param ranges only these tokens; {@link TokenRanges#FULL} for all
     * @param from the replicas that may send
     */
    record Rebuild(List<Node> targets, TokenRanges ranges, SourceFilter from) implements TopologyChange {
        public Rebuild {
            targets = List.copyOf(targets);
        }

        @Override
        public Operation operation() {
            return Operation.REBUILD;
        }
    }

    /** A live member sends all its ranges to their new replicas, and leaves the ring. */
    record Decommission(Node leaving) implements TopologyChange {
        @Override
        public Operation operation() {
            return Operation.DECOMMISSION;
        }
    }

    /** A dead member is removed from the ring; the remaining replicas send its ranges to the new ones. */
    record RemoveNode(Node dead) implements TopologyChange {
        @Override
        public Operation operation() {
            return Operation.REMOVE_NODE;
        }
    }

    /**
     * A member exchanges its tokens for others.
     *
     * @param tokens its new tokens
     */
    record Move(Node mover, List<Token> tokens) implements TopologyChange {
        public Move {
            tokens = List.copyOf(tokens);
        }

        @Override
        public Operation operation() {
            return Operation.MOVE;
        }
    }

    /**
     * Replicas exchange the ranges in which they differ.
     *
     * @param differences of tables whose rings are planned
     * @param isPullOnly whether only the first of each pair receives
     */
    record Repair(List<Difference> differences, boolean isPullOnly) implements TopologyChange {
        public Repair {
            differences = List.copyOf(differences);
        }

        @Override
        public Operation operation() {
            return Operation.REPAIR;
        }
    }

    /** Ranges of a table in which two replicas, which are not the same node, are known to differ. */
    record Difference(Node first, Node second, TableRef table, TokenRanges ranges) {}

    /**
     * A tablet of one table migrates from one node to another.
     *
     * @param last its last token
     */
    record MigrateTablet(TableRef table, Token last, UUID from, UUID to) implements TopologyChange {
        @Override
        public Operation operation() {
            return Operation.TABLET_MIGRATION;
        }
    }

    /**
     * SSTables outside the ring are sent to all replicas of their ranges, pending replicas included.
     *
     * @param loader the node that has them; not a member of the ring
     */
    record BulkLoad(Node loader) implements TopologyChange {
        @Override
        public Operation operation() {
            return Operation.BULK_LOAD;
        }
    }

    /**
     * Which replicas may send. An empty set does not restrict.
     *
     * @param dcs names of data centres
     * @param only ids of nodes
     * @param excluded ids of nodes
     */
    record SourceFilter(Set<String> dcs, Set<UUID> only, Set<UUID> excluded) {
        /** Every replica may. */
        public static final SourceFilter ANY = new SourceFilter(Set.of(), Set.of(), Set.of());

        public SourceFilter {
            dcs = Set.copyOf(dcs);
            only = Set.copyOf(only);
            excluded = Set.copyOf(excluded);
        }

        /** Every replica of one data centre may. */
        public static SourceFilter inDc(String dc) {
            return new SourceFilter(Set.of(dc), Set.of(), Set.of());
        }

        public boolean allows(Node node) {
            return (dcs.isEmpty() || dcs.contains(node.location().dc()))
                    && (only.isEmpty() || only.contains(node.id()))
                    && !excluded.contains(node.id());
        }
    }
}
