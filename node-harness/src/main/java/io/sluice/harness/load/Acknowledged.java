package io.sluice.harness.load;

import io.sluice.harness.load.LoadTable.Write;
import io.sluice.sstable.encoding.OwnerOnly;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The file of writes that were acknowledged: a line each, key, timestamp and value with tabs between. Not thread-safe:
 * confined to its writer.
 */
final class Acknowledged implements Closeable {
    private final BufferedWriter out;

    private Acknowledged(BufferedWriter out) {
        this.out = out;
    }

    /** Begins a new file. */
    static Acknowledged create(Path file) throws IOException {
        OwnerOnly.restrict(file);
        return new Acknowledged(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
    }

    void add(List<Write> writes) throws IOException {
        for (Write write : writes) {
            out.write(write.key() + "\t" + write.timestampMicros() + "\t" + write.value() + "\n");
        }
        out.flush();
    }

    /** The last write of each key. */
    static Map<String, Write> read(Path file) throws IOException {
        Map<String, Write> last = new TreeMap<>();
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            String[] parts = line.split("\t", 3);
            if (parts.length != 3) {
                throw new IOException(file + ": line '" + line + "' (expected: key, timestamp, value)");
            }
            Write write = new Write(parts[0], Long.parseLong(parts[1]), parts[2]);
            last.merge(write.key(), write, (a, b) -> a.timestampMicros() >= b.timestampMicros() ? a : b);
        }
        return last;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
