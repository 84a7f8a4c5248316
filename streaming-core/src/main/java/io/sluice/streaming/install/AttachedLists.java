package io.sluice.streaming.install;

import io.sluice.sstable.component.AttachedFile;
import io.sluice.sstable.component.Descriptor;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.AttachedFiles;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The files attached to the staged SSTables of a set: remembered until the set is committed, so a peer may not make
 * them as long as it likes. Not thread-safe.
 */
final class AttachedLists {
    /** About 500,000 files with names as those of indexes: 5 indexes at each of 10,000 SSTables. */
    static final long MAX_BYTES = 32L << 20;

    private final long maxBytes;
    private final Map<Descriptor, AttachedFiles> lists = new HashMap<>();
    private long bytes;

    /** @param maxBytes of all lists, as they came */
    AttachedLists(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /**
     * Remembers the list of one SSTable, instead of that of before.
     *
     * @throws StreamException of code {@link ErrorCode#LIMIT} if there are too many
     */
    void put(Descriptor sstable, AttachedFiles list) {
        remove(sstable);
        if (list.files().isEmpty() && list.indexes().isEmpty()) {
            return;
        }
        if (bytes + list.headerBytes() > maxBytes) {
            throw new StreamException(
                    ErrorCode.LIMIT,
                    "lists of the files beside the SSTables of one table: " + (bytes + list.headerBytes())
                            + " bytes (expected: at most " + maxBytes + "; stream fewer ranges at once)");
        }
        lists.put(sstable, list);
        bytes += list.headerBytes();
    }

    private void remove(Descriptor sstable) {
        AttachedFiles before = lists.remove(sstable);
        bytes -= before == null ? 0 : before.headerBytes();
    }

    /** Forgets the lists of all other SSTables. */
    void retain(Collection<Descriptor> sstables) {
        for (Descriptor sstable : List.copyOf(lists.keySet())) {
            if (!sstables.contains(sstable)) {
                remove(sstable);
            }
        }
    }

    /** The files beside an SSTable. */
    List<AttachedFile> files(Descriptor sstable) {
        return entries(sstable).stream().map(AttachedFiles.Entry::file).toList();
    }

    /** The lengths and checksums of the files beside an SSTable. */
    List<AttachedFiles.Entry> entries(Descriptor sstable) {
        AttachedFiles list = lists.get(sstable);
        return list == null ? List.of() : list.files();
    }

    /** The indexes of any of these SSTables that the database is to build. */
    SortedSet<String> indexes(Collection<Descriptor> sstables) {
        SortedSet<String> indexes = new TreeSet<>();
        for (Descriptor sstable : sstables) {
            AttachedFiles list = lists.get(sstable);
            if (list != null) {
                indexes.addAll(list.indexes());
            }
        }
        return indexes;
    }
}
