package io.sluice.sstable.index;

import io.sluice.sstable.encoding.ComponentInput;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * The pages of Partitions.db, of which the last ones used are kept: 256 KiB. Not thread-safe: confined to its copier,
 * which closes it.
 */
final class TriePages implements Closeable {
    private static final int PAGE_BYTES = TrieWriter.PAGE_BYTES;
    /** A reader of nodes in place may look at so many bytes after its page. */
    private static final int SLACK_BYTES = 16;
    /** Writers pack branches next to each other into up to sixteen pages, in another order. */
    private static final int KEPT_PAGES = 64;

    private final Path file;
    private final FileChannel channel;
    private final long length;
    private final byte[][] pages = new byte[KEPT_PAGES][0]; // one is made when it is used first
    private final long[] numbers = new long[KEPT_PAGES];

    private TriePages(Path file, FileChannel channel, long length) {
        this.file = file;
        this.channel = channel;
        this.length = length;
        Arrays.fill(numbers, -1);
    }

    static TriePages open(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        try {
            return new TriePages(file, channel, channel.size());
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
    }

    /** The page with a position below the length of the file, and a few more bytes; valid until the next call. */
    byte[] at(long position) throws IOException {
        long number = position / PAGE_BYTES;
        int slot = (int) (number % KEPT_PAGES);
        byte[] page = pages[slot];
        if (page.length == 0) {
            page = new byte[PAGE_BYTES + SLACK_BYTES];
            pages[slot] = page;
        }
        if (numbers[slot] != number) {
            numbers[slot] = -1; // the page is invalid if reading fails
            long start = number * PAGE_BYTES;
            int filled = (int) Math.min(PAGE_BYTES, length - start);
            ComponentInput.readFully(file, channel, start, ByteBuffer.wrap(page, 0, filled));
            Arrays.fill(page, filled, page.length, (byte) 0);
            numbers[slot] = number;
        }
        return page;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
