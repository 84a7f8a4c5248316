package io.sluice.harness.cli.sstable;

import io.sluice.sstable.component.Descriptor;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The SSTables that a command makes, in the folders of one or several tables. Not thread-safe. */
final class NewSSTables implements AutoCloseable {
    private final PrintWriter err;
    private final Map<Path, UnfinishedSSTables> folders = new LinkedHashMap<>();

    /** @param err learns what is removed */
    NewSSTables(PrintWriter err) {
        this.err = err;
    }

    /** Removes what an earlier command has not finished in {@code folder}, which exists. */
    void prepare(Path folder) throws IOException {
        in(folder);
    }

    private UnfinishedSSTables in(Path folder) throws IOException {
        UnfinishedSSTables known = folders.get(folder);
        if (known != null) {
            return known;
        }
        UnfinishedSSTables unfinished = UnfinishedSSTables.in(folder, err);
        folders.put(folder, unfinished);
        return unfinished;
    }

    /**
     * Makes room for one more.
     *
     * @throws java.nio.file.FileAlreadyExistsException if an SSTable of that name is there
     */
    void begin(Path folder, Descriptor descriptor) throws IOException {
        in(folder).begin(descriptor);
    }

    /** All are there: from now on they are like any others. */
    void finish() throws IOException {
        for (UnfinishedSSTables unfinished : folders.values()) {
            unfinished.finish();
        }
    }

    @Override
    public void close() throws IOException {
        for (UnfinishedSSTables unfinished : folders.values()) {
            unfinished.close();
        }
    }
}
