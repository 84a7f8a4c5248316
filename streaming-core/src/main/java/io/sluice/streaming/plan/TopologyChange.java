package io.sluice.streaming.plan;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** What is to happen to the ring or its data, so that data must move. Immutable. */
public sealed interface TopologyChange {
    /** What the plan is for. */
    Operation operation();

    /**
     * A new node takes its place.
     *
     * @param joining with the tokens that it will have; it may be in the ring as a joining member
     * @param isStrict whether each range must come from the node that loses it, so that the joining node knows what
     *     that one knows; else it may come from any replica
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
     * @param replacement its own tokens do not count
     */
    record Replace(Node dead, Node replacement) implements TopologyChange {
        @Override
        public Operation operation() {
            return Operation.REPLACE;
        }
    }

    /**
     * Members fetch again what they hold already by the ring: after a disk was lost, or for a new data centre.
     *
     * @param targets members of the ring, one or all of a data centre
     * @param ranges only these tokens; {@link TokenRanges#FULL} for all
     * @param from who may send
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

    /** A live member hands all that it holds to those who will hold it, and leaves. */
    record Decommission(Node leaving) implements TopologyChange {
        @Override
        public Operation operation() {
            return Operation.DECOMMISSION;
        }
    }

    /**
     * A dead member is taken out of the ring; the other replicas of its ranges hand them to those who will hold them.
     */
    record RemoveNode(Node dead) implements TopologyChange {
        @Override
        public Operation operation() {
            return Operation.REMOVE_NODE;
        }
    }

    /**
     * A member exchanges its tokens for others.
     *
     * @param tokens that it will have
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
     * Replicas give each other the ranges in which they differ.
     *
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

    /** Ranges of a table in which two replicas are known to differ. */
    record Difference(Node first, Node second, TableRef table, TokenRanges ranges) {}

    /**
     * A tablet of one table goes from one node to another.
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
     * SSTables that lie outside of the ring are given to all replicas of what they hold, those that are about to become
     * replicas included.
     *
     * @param loader who has them; not a member
     */
    record BulkLoad(Node loader) implements TopologyChange {
        @Override
        public Operation operation() {
            return Operation.BULK_LOAD;
        }
    }

    /**
     * Which replicas may send. Empty sets do not restrict.
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
