package io.sluice.sstable.generate;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.PartitionKey;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Distinct keys in the order of partitions, in constant memory: an external merge sort. Keys are sorted in runs of a
 * fixed number; all runs but one are files, which are merged. A file has no name while it is used, so an interrupted
 * process leaves none. A run in a file is a sequence of keys, each a length of two bytes and the key. Not thread-safe.
 */
final class SortedKeys implements Closeable {
    private static final int WRITE_BUFFER_BYTES = 1 << 16;
    private static final int READ_BUFFER_BYTES = 1 << 13; // of each run: a terabyte of small partitions has thousands

    private final List<Run> all = new ArrayList<>();
    private final PriorityQueue<Run> unread = new PriorityQueue<>(Comparator.comparing(Run::head));
    private Optional<PartitionKey> next = Optional.empty();

    /** Sorted keys, the first of which is known. */
    private interface Run extends Closeable {
        PartitionKey head();

        /** Moves to the next key; returns false after the last. */
        boolean advance() throws IOException;
    }

    /**
     * Draws and sorts keys.
     *
     * @param keys draws the next key, which may have been drawn before
     * @param count how many to draw
     * @param inMemory keys of a run, 1 or more
     * @param directory for the files of runs
     */
    static SortedKeys draw(Supplier<PartitionKey> keys, int count, int inMemory, Path directory) throws IOException {
        SortedKeys sorted = new SortedKeys();
        try {
            TreeSet<PartitionKey> run = new TreeSet<>();
            for (int i = 0; i < count; i++) {
                if (run.size() == inMemory) {
                    sorted.add(FileRun.write(directory, run));
                    run.clear();
                }
                run.add(keys.get());
            }
            if (!run.isEmpty()) {
                sorted.add(new MemoryRun(run));
            }
            sorted.advance();
            return sorted;
        } catch (Throwable e) {
            sorted.close();
            throw e;
        }
    }

    private void add(Run run) {
        all.add(run);
        unread.add(run);
    }

    /** The next key, which stays the next one; empty after the last. */
    Optional<PartitionKey> peek() {
        return next;
    }

    /** Moves past the next key. */
    void advance() throws IOException {
        Optional<PartitionKey> before = next;
        do {
            next = poll();
        } while (next.isPresent() && next.equals(before));
    }

    private Optional<PartitionKey> poll() throws IOException {
        Run least = unread.poll();
        if (least == null) {
            return Optional.empty();
        }
        PartitionKey head = least.head();
        if (least.advance()) {
            unread.add(least);
        }
        return Optional.of(head);
    }

    @Override
    public void close() throws IOException {
        for (Run run : all) {
            run.close();
        }
    }

    private static final class MemoryRun implements Run {
        private final NavigableSet<PartitionKey> keys;

        MemoryRun(NavigableSet<PartitionKey> keys) {
            this.keys = keys;
        }

        @Override
        public PartitionKey head() {
            return keys.first();
        }

        @Override
        public boolean advance() {
            keys.pollFirst();
            return !keys.isEmpty();
        }

        @Override
        public void close() {
            keys.clear();
        }
    }

    private static final class FileRun implements Run {
        private final DataInputStream in;
        private int left;
        private PartitionKey head;

        private FileRun(DataInputStream in, int count) throws IOException {
            this.in = in;
            this.left = count;
            this.head = read();
        }

        static FileRun write(Path directory, SortedSet<PartitionKey> keys) throws IOException {
            Path file = Files.createTempFile(directory, ".keys", ".tmp");
            try (FileChannel written = FileChannel.open(file, StandardOpenOption.WRITE)) {
                FileChannel read = FileChannel.open(file, StandardOpenOption.READ);
                try {
                    Files.delete(file); // it lives as long as it is open
                    write(Channels.newOutputStream(written), keys);
                    return new FileRun(buffered(Channels.newInputStream(read)), keys.size());
                } catch (Throwable e) {
                    read.close();
                    throw e;
                }
            }
        }

        private static void write(OutputStream file, SortedSet<PartitionKey> keys) throws IOException {
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(file, WRITE_BUFFER_BYTES));
            for (PartitionKey key : keys) {
                out.writeShort(key.bytes().length());
                out.write(key.bytes().toArray());
            }
            out.flush();
        }

        private static DataInputStream buffered(InputStream file) {
            return new DataInputStream(new BufferedInputStream(file, READ_BUFFER_BYTES));
        }

        private PartitionKey read() throws IOException {
            byte[] key = new byte[in.readUnsignedShort()];
            in.readFully(key);
            left--;
            return PartitionKey.of(Bytes.wrap(key));
        }

        @Override
        public PartitionKey head() {
            return head;
        }

        @Override
        public boolean advance() throws IOException {
            if (left == 0) {
                return false;
            }
            head = read();
            return true;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
