package io.sluice.harness.agent;

import io.sluice.harness.store.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Unique numbers for received SSTables: a file records the limit up to which they may have been used. Numbers, because
 * 4.0 supports no other ids; Cassandra assigns new ids when it imports. Thread-safe.
 */
final class SSTableIds {
    private static final int BLOCK = 1_000;

    private final Path file;
    private int next;
    private int end;

    SSTableIds(Path file) {
        this.file = file;
    }

    synchronized String next() throws IOException {
        if (next == end) {
            int from = Files.exists(file) ? parse(Files.readString(file)) : 1;
            int to = Math.addExact(from, BLOCK);
            DurableFile.write(file, String.valueOf(to));
            next = from;
            end = to;
        }
        return String.valueOf(next++);
    }

    private int parse(String text) throws IOException {
        try {
            int value = Integer.parseInt(text.strip());
            if (value > 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new IOException(file + ": '" + text + "' (expected: the next number of an SSTable)", e);
        }
        throw new IOException(file + ": '" + text + "' (expected: a number greater than 0)");
    }
}
