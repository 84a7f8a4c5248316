package io.sluice.cassandra.load;

import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.cassandra.send.SSTableTransfer;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.SectionFinder;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Decides which node receives what of a table, and refuses loads that would do harm. Stateless; reads indexes of
 * SSTables, and the last chunk of each.
 */
public final class LoadPlanner {
    private static final int WIRE_OF_COMPATIBILITY_MODE = 12;

    /**
     * Below this size, decoding rows costs the node less than one more SSTable: it syncs each component of an SSTable.
     */
    private static final long MIN_SLICE_BYTES = 1 << 20;

    private LoadPlanner() {}

    /**
     * Plans what each node receives of a table's SSTables: a whole SSTable if the node owns every partition; otherwise
     * one slice with all partitions that it owns, or these partitions as rows if the slice would be small or cannot be
     * made.
     *
     * @throws StreamException if a node cannot accept an SSTable, accepting it would do harm, or the table has other
     *     columns
     * @throws io.sluice.sstable.component.SSTableException if an SSTable is malformed, or a file of it was cut off
     */
    public static List<Delivery> plan(LiveTable table, List<SSTable> sstables, List<Receiver> receivers)
            throws IOException {
        refuseAttachedIndexes(table);
        for (SSTable sstable : sstables) {
            ColumnCheck.requireReadable(sstable, table);
            FileEnds.requireReached(sstable);
        }
        List<List<SSTableTransfer>> transfers = receivers.stream()
                .map(receiver -> (List<SSTableTransfer>) new ArrayList<SSTableTransfer>())
                .toList();
        SortedSet<Token> ends = ends(receivers);
        for (SSTable sstable : sstables) {
            try (SectionFinder finder = sstable.finder()) {
                finder.lookUp(ends);
                for (int i = 0; i < receivers.size(); i++) {
                    transfer(sstable, finder, receivers.get(i)).ifPresent(transfers.get(i)::add);
                }
            }
        }
        List<Delivery> deliveries = new ArrayList<>();
        for (int i = 0; i < receivers.size(); i++) {
            if (!transfers.get(i).isEmpty()) {
                deliveries.add(new Delivery(receivers.get(i), table, transfers.get(i)));
            }
        }
        return List.copyOf(deliveries);
    }

    private static SortedSet<Token> ends(List<Receiver> receivers) {
        SortedSet<Token> ends = new TreeSet<>();
        for (Receiver receiver : receivers) {
            for (TokenRange range : receiver.owned().ranges()) {
                ends.add(range.start());
                ends.add(range.end());
            }
        }
        return ends;
    }

    private static void refuseAttachedIndexes(LiveTable table) {
        if (!table.attachedIndexes().isEmpty()) {
            throw new StreamException(
                    ErrorCode.NOT_WHOLE,
                    table + " has storage-attached indexes " + table.attachedIndexes()
                            + ", which whole SSTables do not bring: drop the indexes, load, and create them"
                            + " again");
        }
    }

    private static Optional<SSTableTransfer> transfer(SSTable sstable, SectionFinder finder, Receiver receiver)
            throws IOException {
        List<Section> sections = finder.sections(receiver.owned());
        if (sections.isEmpty()) {
            return Optional.empty();
        }
        refuseUnreadable(sstable, receiver);
        boolean mustDecode = sstable.onlyRows().isPresent();
        if (!mustDecode && sections.equals(List.of(new Section(0, sstable.dataLengthBytes())))) {
            return Optional.of(whole(sstable));
        }
        long plain = sections.stream().mapToLong(Section::lengthBytes).sum();
        long stored = SSTableTransfer.storedLengthBytes(sstable, plain);
        return Optional.of(
                !mustDecode && stored >= MIN_SLICE_BYTES
                        ? new SSTableTransfer.Slice(sstable, receiver.owned(), stored)
                        : new SSTableTransfer.Part(sstable, receiver.owned(), stored));
    }

    private static void refuseUnreadable(SSTable sstable, Receiver receiver) {
        CassandraNode node = receiver.node();
        Version version = sstable.descriptor().version();
        String what = sstable + ": " + node + " (Cassandra " + node.release() + ") ";
        if (!node.isKnown()) {
            throw new StreamException(ErrorCode.WRONG_PEER, what + "is not supported (expected: 4.0, 4.1 or 5.0)");
        }
        if (version.compareTo(Version.NA) < 0) {
            throw new StreamException(
                    ErrorCode.WRONG_PEER,
                    what + "does not accept files of version " + version.letters()
                            + " unchanged (expected: na, nb, oa or da; write it as nb)");
        }
        if (node.isBeforeFive() && version.compareTo(Version.NB) > 0) {
            throw new StreamException(
                    ErrorCode.WRONG_PEER,
                    what + "cannot read " + version.letters() + " (expected: nb; load into 5.0, or write it as nb)");
        }
        boolean isOfNewBig = version == Version.OA;
        if (isOfNewBig && receiver.wireVersion() == WIRE_OF_COMPATIBILITY_MODE) {
            throw new StreamException(
                    ErrorCode.WRONG_PEER,
                    what + "is in compatibility mode CASSANDRA_4 and could not restart with "
                            + version.letters()
                            + " files (set storage_compatibility_mode: NONE on all nodes and restart"
                            + " them, or write the table as nb)");
        }
    }

    private static SSTableTransfer whole(SSTable sstable) {
        return new SSTableTransfer.Whole(
                sstable,
                sstable.components().stream()
                        .filter(Component::isStreamed)
                        .map(component -> new SSTableTransfer.ComponentLength(
                                component.fileName(), sstable.lengthBytes(component)))
                        .toList());
    }
}
