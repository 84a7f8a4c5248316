package io.sluice.sstable.index;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.index.TrieKeys.Located;
import io.sluice.sstable.key.PartitionKey;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Copies sections of Partitions.db and Rows.db to new ones. Whole branches are copied without a look at their keys,
 * where a page has them whole; of other partitions, and of the first and last of a section, whose neighbours change,
 * the keys are read. Paths stay as long as they are: a key that is distinguished from its neighbours is so from those
 * behind them. Not thread-safe: confined to its writer, which closes it.
 */
public final class TrieCopier implements Closeable {
    private final TrieKeys keys;
    private final TriePath path;
    private final TriePages pages;
    private final RowsReader rows;
    private final DataReader hashed;
    private final DataKeys hashes;
    private final TrieBranch branch = new TrieBranch();
    /** How many partitions of branches are left until the key of one is hashed, with it. */
    private int untilHash = 1;

    private TrieCopier(TrieKeys keys, TriePages pages, RowsReader rows, DataReader hashed) {
        this.keys = keys;
        this.path = new TriePath(keys.partitions(), keys.footer().rootPosition());
        this.pages = pages;
        this.rows = rows;
        this.hashed = hashed;
        this.hashes = new DataKeys(hashed);
    }

    /** Where sections are copied to. */
    private record Target(IndexFiles.Tries files, long base, CopiedPartitions listener) {}

    /**
     * Opens the index of an SSTable.
     *
     * @param data its uncompressed content, which is taken over
     * @param hashed the same, also taken over: keys are hashed in it
     */
    public static TrieCopier takeOver(Path partitions, Path rowsFile, DataReader data, DataReader hashed)
            throws IOException {
        Deque<Closeable> opened = new ArrayDeque<>(List.of(hashed));
        try {
            TrieKeys keys = TrieKeys.takeOver(partitions, rowsFile, data);
            opened.push(keys);
            TriePages pages = TriePages.open(partitions);
            opened.push(pages);
            return new TrieCopier(keys, pages, RowsReader.open(rowsFile), hashed);
        } catch (IOException | RuntimeException failed) {
            for (Closeable resource : opened) {
                resource.close();
            }
            throw failed;
        }
    }

    /** Goes to the first partition; those before it on the path of the token are not of the section. */
    private Located first(RangeSection rangeSection) throws IOException {
        long start = rangeSection.section().start();
        path.seek(rangeSection.range().start());
        for (long next = path.next(); next != TriePath.NONE; next = path.next()) {
            TrieNode node = path.read(next);
            if (!node.isLeaf()) {
                path.enter(node);
            } else if (keys.positionOf(node) == start) {
                return keys.locate(node, path.transitions(), path.depth());
            } else if (keys.positionOf(node) > start) {
                break;
            }
        }
        throw keys.partitions().malformed("no partition at " + start + " (expected: the one that was there before)");
    }

    /**
     * Copies all partitions of a section.
     *
     * @param base subtracted from their positions
     * @throws SSTableException if the index is corrupt, or the section does not begin with a partition
     */
    public void copy(RangeSection rangeSection, long base, IndexFiles.Tries files, CopiedPartitions listener)
            throws IOException {
        Target target = new Target(files, base, listener);
        long end = rangeSection.section().end();
        long last = lastBefore(end);
        Located first = first(rangeSection);
        copy(first, target);
        long previous = first.position();
        while (previous < last) {
            long next = path.next();
            if (next == TriePath.NONE) {
                throw keys.partitions().malformed("no partition after " + previous + " (expected: up to " + last + ")");
            }
            if (branch.find(pages.at(next), (int) (next % TrieWriter.PAGE_BYTES), previous, last)
                    && branch.fits(base)) {
                previous = copyBranch(previous, path.isApart(next), target);
                continue;
            }
            TrieNode node = path.read(next);
            if (node.isLeaf()) {
                Located located = keys.locate(node, path.transitions(), path.depth());
                if (located.position() <= previous || located.position() > last) {
                    throw keys.partitions()
                            .malformed("partition " + located + " after position " + previous
                                    + " (expected: ascending, up to " + last + ")");
                }
                listener.copied(located.position() - previous);
                copy(located, target);
                previous = located.position();
            } else {
                path.enter(node);
            }
        }
        listener.copied(end - previous);
    }

    /** The position of the last partition that begins before {@code end}. */
    private long lastBefore(long end) throws IOException {
        TrieNode node = path.read(path.root());
        while (!node.isLeaf()) {
            List<Long> children = new ArrayList<>();
            for (int child = node.childFrom(0); child < node.children(); child = node.childFrom(child + 1)) {
                children.add(node.childPosition(child));
            }
            int from = 0;
            int until = children.size();
            while (until - from > 1) { // the first child of the two is before the end, if any is
                int middle = (from + until) >>> 1;
                if (firstPosition(children.get(middle)) < end) {
                    from = middle;
                } else {
                    until = middle;
                }
            }
            node = path.read(children.get(from));
        }
        return keys.positionOf(node);
    }

    /** The position of the first partition below a node. */
    private long firstPosition(long position) throws IOException {
        TrieNode node = path.read(position);
        while (!node.isLeaf()) {
            node = path.read(node.childPosition(node.childFrom(0)));
        }
        return keys.positionOf(node);
    }

    private void copy(Located located, Target target) throws IOException {
        PartitionKey key = located.key();
        long position = located.position() - target.base();
        Optional<RowsReader.Entry> entry =
                located.rowsPosition() < 0 ? Optional.empty() : Optional.of(rows.entry(located.rowsPosition()));
        target.files().addCopy(key, position, path.depth(), rows, entry);
        if (target.listener().hashInterval() > 0) {
            target.listener().hashed(key.hash());
        }
    }

    /** @return the position of its last partition */
    private long copyBranch(long previous, boolean isApart, Target target) throws IOException {
        CopiedPartitions listener = target.listener();
        target.files().addBranch(path.transitions(), path.depth(), branch, target.base(), isApart);
        long before = previous;
        for (int i = 0; i < branch.count(); i++) {
            long position = branch.position(i);
            listener.copied(position - before);
            before = position;
        }
        int interval = listener.hashInterval();
        if (interval > 0) {
            int next = untilHash - 1;
            for (; next < branch.count(); next += interval) {
                listener.hashed(hashes.hashAt(branch.position(next)));
            }
            untilHash = next - branch.count() + 1;
        }
        return before;
    }

    @Override
    public void close() throws IOException {
        try (hashed;
                keys;
                pages) {
            rows.close();
        }
    }
}
