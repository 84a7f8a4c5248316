package io.sluice.harness.cli.sstable;

import io.sluice.harness.admin.Refusal;
import io.sluice.harness.config.ConfigException;
import io.sluice.sstable.component.Descriptor;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.log.SystemError;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The SSTables that a command makes, in the folders of one or several tables. Not thread-safe. */
final class NewSSTables implements AutoCloseable {
    private final PrintWriter err;
    private final Map<Path, UnfinishedSSTables> folders = new LinkedHashMap<>();
    private final SortedSet<Path> made = new TreeSet<>(Comparator.reverseOrder()); // what lies in a folder before it

    /** @param err learns what is removed */
    NewSSTables(PrintWriter err) {
        this.err = err;
    }

    /** Work that writes to a folder. */
    interface Writing<T> {
        T run() throws IOException;
    }

    /**
     * Does {@code work}.
     *
     * @throws IOException as {@code work} throws it; that the disk is full with the folder and what to do
     */
    static <T> T to(Path folder, Writing<T> work) throws IOException {
        try {
            return work.run();
        } catch (IOException e) {
            Optional<SystemError> full = SystemError.of(e).filter(error -> error.code() == ErrorCode.DISK_FULL);
            if (full.isEmpty()) {
                throw e;
            }
            throw new SystemError.Explained(
                    folder + ": " + Refusal.because(e) + " (" + full.get().advice() + ")", e);
        }
    }

    /**
     * A folder for results, which is made if need be; what was made and stays empty is removed at the end.
     *
     * @param option as people typed {@code target}, in which the folder lies
     * @return {@code folder} itself: what is printed begins as it was typed
     * @throws ConfigException if it cannot be
     */
    Path folder(String option, Path target, Path folder) {
        for (Path at = folder; at != null && Files.notExists(at); at = at.getParent()) {
            made.add(at);
        }
        try {
            Files.createDirectories(folder); // which returns an absolute path in some releases of Java
            return folder;
        } catch (IOException e) {
            throw new ConfigException(
                    option + " " + target + ": cannot be made: " + Refusal.because(e) + " (expected: a folder that this"
                            + " user may write, or where one can be made)",
                    e);
        }
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
        for (Path folder : made) {
            if (isEmpty(folder)) {
                Files.delete(folder);
            }
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }
}
