package io.sluice.sstable.index;

import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.index.TrieKeys.Located;
import io.sluice.sstable.token.Token;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Iterates over the trie of Partitions.db in order, and reads each key. Keeps the nodes of one path in memory. */
public final class TrieCursor implements PartitionCursor {
    private final TrieKeys keys;
    private final TriePath path;
    private @Nullable Located ahead;
    private @Nullable Located current;

    private TrieCursor(TrieKeys keys) throws IOException {
        this.keys = keys;
        this.path = new TriePath(keys.partitions(), keys.footer().rootPosition());
        this.ahead = locateNext(null);
    }

    /** Opens the trie of an SSTable; takes over {@code data}, its uncompressed content. */
    public static TrieCursor takeOver(Path partitions, Path rows, DataReader data) throws IOException {
        TrieKeys keys = TrieKeys.takeOver(partitions, rows, data);
        try {
            return new TrieCursor(keys);
        } catch (IOException | RuntimeException failed) {
            keys.close();
            throw failed;
        }
    }

    @Override
    public Optional<PartitionEntry> next() throws IOException {
        Located located = ahead;
        current = located;
        if (located == null) {
            return Optional.empty();
        }
        ahead = locateNext(located);
        long end = ahead == null ? keys.dataLengthBytes() : ahead.position();
        return Optional.of(new PartitionEntry(located.key(), located.position(), end - located.position()));
    }

    /** The position in Rows.db of the entry of the last partition; empty if it has none. */
    public OptionalLong rowsPosition() {
        return current == null || current.rowsPosition() < 0
                ? OptionalLong.empty()
                : OptionalLong.of(current.rowsPosition());
    }

    @Override
    public void seekAfter(Token token) throws IOException {
        path.seek(token);
        ahead = locateNext(null);
        // A leaf on the path has this token or a near one: only its key decides.
        while (ahead != null && ahead.key().token().compareTo(token) <= 0) {
            ahead = locateNext(ahead);
        }
    }

    @Override
    public void seekLast(Token last) throws IOException {
        path.seek(last);
        ahead = locateNext(null);
        while (ahead != null && ahead.key().token().compareTo(last) < 0) {
            ahead = locateNext(ahead);
        }
    }

    private @Nullable Located locateNext(@Nullable Located previous) throws IOException {
        for (long next = path.next(); next != TriePath.NONE; next = path.next()) {
            TrieNode node = path.read(next);
            if (node.isLeaf()) {
                return checked(keys.locate(node, path.transitions(), path.depth()), previous);
            }
            path.enter(node);
        }
        return null;
    }

    private Located checked(Located located, @Nullable Located previous) throws IOException {
        boolean isAscending = previous == null
                || (located.position() > previous.position() && located.key().compareTo(previous.key()) > 0);
        if (!isAscending || located.position() >= keys.dataLengthBytes()) {
            throw keys.partitions()
                    .malformed("partition " + located + " after " + previous + " (expected: ascending, within "
                            + keys.dataLengthBytes() + " bytes of data)");
        }
        return located;
    }

    @Override
    public void close() throws IOException {
        keys.close();
    }
}
