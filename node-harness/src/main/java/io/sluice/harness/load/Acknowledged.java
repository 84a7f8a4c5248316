package io.sluice.harness.load;

import io.sluice.harness.load.LoadTable.Write;
import io.sluice.sstable.encoding.OwnerOnly;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The file of acknowledged writes: one line each, with key, timestamp and value separated by tabs; a deletion has no
 * value. Not thread-safe: confined to its writer.
 */
final class Acknowledged implements Closeable {
    private final BufferedWriter out;

    private Acknowledged(BufferedWriter out) {
        this.out = out;
    }

    /** Creates a new file. */
    static Acknowledged create(Path file) throws IOException {
        OwnerOnly.restrict(file);
        return new Acknowledged(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
    }

    /** Appends to an existing file. */
    static Acknowledged append(Path file) throws IOException {
        return new Acknowledged(Files.newBufferedWriter(file, StandardCharsets.UTF_8, StandardOpenOption.APPEND));
    }

    void add(List<Write> writes) throws IOException {
        for (Write write : writes) {
            String value = write.value().map(text -> "\t" + text).orElse("");
            out.write(write.key() + "\t" + write.timestampMicros() + value + "\n");
        }
        out.flush();
    }

    /** Reads the last write of each key. */
    static Map<String, Write> read(Path file) throws IOException {
        Map<String, Write> last = new TreeMap<>();
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            String[] parts = line.split("\t", 3);
            if (parts.length < 2) {
                throw new IOException(file + ": line '" + line + "' (expected: key, timestamp, value)");
            }
            Optional<String> value = parts.length == 3 ? Optional.of(parts[2]) : Optional.empty();
            Write write = new Write(parts[0], Long.parseLong(parts[1]), value);
            last.merge(write.key(), write, (a, b) -> a.timestampMicros() >= b.timestampMicros() ? a : b);
        }
        return last;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
