package io.sluice.harness.audit;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What was written to a table. Immutable.
 *
 * @param wholeFiles by its hash each file that alone has the tokens that it spans: who holds it holds those partitions
 */
record Ledger(List<Path> parts, Map<String, Span> wholeFiles) {
    private static final int BUFFER_BYTES = 1 << 18;

    /** From the first token to the last, both included. */
    record Span(long first, long last) {
        boolean overlaps(Span other) {
            return first <= other.last && other.first <= last;
        }
    }

    static Ledger open(Path folder) throws IOException {
        List<Path> parts;
        try (Stream<Path> files = Files.list(folder)) {
            parts = files.filter(file -> file.getFileName().toString().startsWith(LedgerWriter.PART))
                    .sorted()
                    .toList();
        }
        Map<String, Span> files = new HashMap<>();
        List<Span> all = new ArrayList<>();
        Path list = folder.resolve(LedgerWriter.FILES);
        for (String line : Files.exists(list) ? Files.readAllLines(list) : List.<String>of()) {
            String[] fields = line.split("\t", -1);
            if (fields.length != 4) {
                throw new IOException(list + ": line '" + line + "' (expected: hash, first token, last token, name)");
            }
            Span span = new Span(Long.parseLong(fields[1]), Long.parseLong(fields[2]));
            files.put(fields[0], span);
            all.add(span);
        }
        files.values().removeIf(span -> all.stream().filter(span::overlaps).count() > 1);
        return new Ledger(parts, Map.copyOf(files));
    }

    /** How long all entries are together. */
    long entriesBytes() throws IOException {
        long bytes = 0;
        for (Path part : parts) {
            bytes += Math.max(0, Files.size(part) - LedgerWriter.MAGIC.length);
        }
        return bytes;
    }

    /** All partitions, ascending. */
    EntrySource entries() throws IOException {
        List<Part> opened = new ArrayList<>();
        for (Path part : parts) {
            opened.add(new Part(part));
        }
        PriorityQueue<Part> heads = new PriorityQueue<>(Comparator.comparing(Part::head));
        for (Part part : opened) {
            if (part.advance()) {
                heads.add(part);
            }
        }
        return new EntrySource() {
            @Override
            public @Nullable Entry next() throws IOException {
                Part first = heads.poll();
                if (first == null) {
                    return null;
                }
                Entry next = first.head();
                if (first.advance()) {
                    heads.add(first);
                }
                return next;
            }

            @Override
            public void close() throws IOException {
                for (Part part : opened) {
                    part.in.close();
                }
            }
        };
    }

    private static final class Part {
        private final Path file;
        private final DataInputStream in;
        private @Nullable Entry head;

        Part(Path file) throws IOException {
            this.file = file;
            this.in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES));
            if (!Arrays.equals(in.readNBytes(LedgerWriter.MAGIC.length), LedgerWriter.MAGIC)) {
                in.close();
                throw new IOException(file + ": begins with other bytes (expected: a ledger of this version)");
            }
        }

        Entry head() {
            Entry now = head;
            if (now == null) {
                throw new IllegalStateException(file + " is at its end");
            }
            return now;
        }

        boolean advance() throws IOException {
            Entry before = head;
            int high = in.read();
            if (high < 0) {
                head = null;
                return false;
            }
            try {
                byte[] key = new byte[(high << 8) | in.readUnsignedByte()];
                in.readFully(key);
                Entry next = Entry.of(key, in.readLong(), in.readLong());
                if (before != null && before.compareTo(next) >= 0) {
                    throw new IOException(file + ": " + next + " after " + before + " (expected: ascending)");
                }
                head = next;
                return true;
            } catch (EOFException e) {
                throw new IOException(file + ": ends within a partition (expected: a whole ledger)", e);
            }
        }
    }
}
