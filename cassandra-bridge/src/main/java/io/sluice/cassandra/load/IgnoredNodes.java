package io.sluice.cassandra.load;

import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.cassandra.send.SSTableTransfer;
import io.sluice.sstable.Coverage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Decides what a load without some nodes leaves out. Stateless; reads indexes of SSTables. */
final class IgnoredNodes {
    private IgnoredNodes() {}

    /**
     * Checks that each address is that of a node, by broadcast address and storage port.
     *
     * @throws StreamException of code {@link ErrorCode#WRONG_PEER} if one is not
     */
    static void requireKnown(Collection<CassandraNode> cluster, List<InetSocketAddress> ignored) {
        for (InetSocketAddress address : ignored) {
            if (cluster.stream().noneMatch(node -> isAt(node, address))) {
                throw new StreamException(
                        ErrorCode.WRONG_PEER,
                        "no node at " + address.getHostString() + " to ignore (expected: one of "
                                + cluster.stream()
                                        .map(CassandraNode::toString)
                                        .collect(Collectors.toCollection(TreeSet::new))
                                + ")");
            }
        }
    }

    /** Those of {@code owners} that are ignored: none, if the ignored nodes own nothing of a keyspace. */
    static Set<CassandraNode> among(Collection<CassandraNode> owners, List<InetSocketAddress> ignored) {
        return owners.stream()
                .filter(node -> ignored.stream().anyMatch(address -> isAt(node, address)))
                .collect(Collectors.toSet());
    }

    private static boolean isAt(CassandraNode node, InetSocketAddress address) {
        return node.streaming().getAddress().equals(address.getAddress())
                && (address.getPort() == LoadOptions.ANY_PORT
                        || address.getPort() == node.streaming().getPort());
    }

    /**
     * What the ignored nodes own of a table's SSTables.
     *
     * @throws StreamException of code {@link ErrorCode#NOT_WHOLE} if nobody else owns some of it
     */
    static List<LeftOut> of(
            LiveTable table, List<SSTable> sstables, Map<CassandraNode, TokenRanges> owned, Set<CassandraNode> ignored)
            throws IOException {
        if (ignored.isEmpty()) {
            return List.of();
        }
        TokenRanges taken = TokenRanges.NONE;
        for (Map.Entry<CassandraNode, TokenRanges> entry : owned.entrySet()) {
            taken = ignored.contains(entry.getKey()) ? taken : taken.union(entry.getValue());
        }
        requireOwner(table, sstables, TokenRanges.FULL.minus(taken), ignored);
        List<LeftOut> leftOut = new ArrayList<>();
        for (CassandraNode node : sorted(ignored)) {
            TokenRanges lacking = owned.getOrDefault(node, TokenRanges.NONE);
            long lengthBytes = 0;
            boolean isLacking = false;
            for (SSTable sstable : sstables) {
                if (sstable.coverage(lacking) != Coverage.NONE) {
                    isLacking = true;
                    lengthBytes += lengthBytes(sstable, lacking);
                }
            }
            if (isLacking) {
                leftOut.add(new LeftOut(node, table, lengthBytes));
            }
        }
        return leftOut;
    }

    private static List<CassandraNode> sorted(Set<CassandraNode> nodes) {
        return nodes.stream()
                .sorted(Comparator.comparing(CassandraNode::toString))
                .toList();
    }

    private static void requireOwner(
            LiveTable table, List<SSTable> sstables, TokenRanges nobodys, Set<CassandraNode> ignored)
            throws IOException {
        for (SSTable sstable : sstables) {
            // Not by the length, an estimate that may be 0 for a small partition.
            if (sstable.coverage(nobodys) != Coverage.NONE) {
                throw new StreamException(
                        ErrorCode.NOT_WHOLE,
                        table + ": " + sorted(ignored)
                                + " are all the replicas of some of it, which would be nowhere then"
                                + " (expected: a replica of each range that is not ignored)");
            }
        }
    }

    private static long lengthBytes(SSTable sstable, TokenRanges ranges) throws IOException {
        long plain = sstable.sections(ranges).stream()
                .mapToLong(Section::lengthBytes)
                .sum();
        return SSTableTransfer.storedLengthBytes(sstable, plain);
    }
}
