package io.sluice.harness.store;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data directories of a store. Each is a volume that may fail alone, or be missing at the start, except the first:
 * it holds the commit log, schemas, and the records of dropped, truncated and obsolete SSTables. Thread-safe.
 */
final class DataDirectories {
    private static final Logger LOG = LoggerFactory.getLogger(DataDirectories.class);
    private static final String STAGING = ".sluice-staging";
    private static final String PROBE = ".sluice-probe";

    private final List<Path> all;
    private final Map<Path, String> failed = new ConcurrentHashMap<>();
    /** Directories that failed before their SSTables were opened: their content is unknown. */
    private final Set<Path> unknown = ConcurrentHashMap.newKeySet();

    private volatile boolean isLoaded;

    private DataDirectories(List<Path> all) {
        this.all = List.copyOf(all);
    }

    /** An operation on one directory. */
    @FunctionalInterface
    interface Step {
        void on(Path directory) throws IOException;
    }

    /**
     * Opens the directories; creates missing ones.
     *
     * @param all one or more
     * @throws IOException if the first cannot be used; others are ignored until the next start
     */
    static DataDirectories open(List<Path> all) throws IOException {
        DataDirectories directories = new DataDirectories(all);
        directories.onEach(directory -> OwnerOnly.createDirectories(staging(directory)));
        return directories;
    }

    /** The staging directory within a data directory. */
    static Path staging(Path directory) {
        return directory.resolve(STAGING);
    }

    /** The data directory of a staging directory. */
    Path of(Path stagingDirectory) {
        return all.stream()
                .filter(directory -> staging(directory).equals(stagingDirectory))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        stagingDirectory + ": not a staging directory of this node (expected: in one of " + all + ")"));
    }

    List<Path> all() {
        return all;
    }

    /** The first directory, which also holds what belongs to the whole node. */
    Path home() {
        return all.get(0);
    }

    /** The directories that have not failed. */
    List<Path> usable() {
        return all.stream().filter(this::isUsable).toList();
    }

    boolean isUsable(Path directory) {
        return !failed.containsKey(directory);
    }

    /** Whether no directory has failed, so that the node has all of its data. */
    boolean isWhole() {
        return failed.isEmpty();
    }

    /** All SSTables are open: from now on it is known what a directory holds if it fails. */
    void loaded() {
        isLoaded = true;
    }

    /** A failed directory whose content is unknown; empty if there is none. */
    Optional<Path> unknown() {
        return unknown.stream().findFirst();
    }

    /** Stops using a directory until the next start. */
    void fail(Path directory, String why) {
        if (failed.putIfAbsent(directory, why) == null) {
            if (!isLoaded) {
                unknown.add(directory);
            }
            LOG.error("{}: volume failed, not used until this node restarts: {}", directory, why);
        }
    }

    /** @throws IOException if the first volume has failed: the node then refuses writes on all volumes */
    void requireHome() throws IOException {
        String why = failed.get(home());
        if (why != null) {
            throw new IOException(home() + ": volume failed, this node accepts no writes until it restarts (check the"
                    + " disk first): " + why);
        }
    }

    /**
     * Runs an operation on each directory that has not failed. If it fails, the directory is not used any more, except
     * the first, and except for damaged SSTables, which must not be left out.
     */
    void onEach(Step step) throws IOException {
        for (Path directory : usable()) {
            try {
                step.on(directory);
            } catch (SSTableException e) {
                throw e;
            } catch (IOException e) {
                if (directory.equals(home())) {
                    throw e;
                }
                fail(directory, e.toString());
            }
        }
    }

    /** The directory with the most room, for a new SSTable. */
    Path roomiest() {
        List<Path> usable = usable();
        if (usable.size() == 1) {
            return usable.get(0);
        }
        Map<Path, Long> room = new LinkedHashMap<>();
        for (Path directory : usable) {
            try {
                room.put(directory, Files.getFileStore(directory).getUsableSpace());
            } catch (IOException e) {
                LOG.warn("{}: cannot determine free space: {}", directory, e.toString());
            }
        }
        return room.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElseGet(this::home);
    }

    /** A write failed: marks the directory as failed if it cannot be written at all, unless it is the first. */
    void suspect(Path directory) {
        if (directory.equals(home())) {
            return;
        }
        Path probe = directory.resolve(PROBE);
        try {
            Files.deleteIfExists(probe);
            OwnerOnly.createFile(probe);
            Files.delete(probe);
        } catch (IOException e) {
            fail(directory, e.toString());
        }
    }
}
