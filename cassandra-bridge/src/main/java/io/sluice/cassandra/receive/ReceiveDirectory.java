package io.sluice.cassandra.receive;

import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.encoding.OwnerOnly;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Receives the files of one session: a folder beside the target, renamed to the target once everything is received and
 * verified. Not thread-safe: confined to its owner.
 */
final class ReceiveDirectory implements AutoCloseable {
    private static final LocalFiles FILES = new LocalFiles();
    private static final String PARTIAL = ".partial";
    private static final int CHECKERS = 2;
    private static final long PATIENCE_SECONDS = 60;

    private final Path target;
    private final Path staging;
    private final FolderLock lock;
    private final ExecutorService checkers =
            Executors.newFixedThreadPool(CHECKERS, work -> thread(work, "check-received"));
    private final ExecutorService syncer = Executors.newSingleThreadExecutor(work -> thread(work, "sync-received"));

    private ReceiveDirectory(Path target, Path staging, FolderLock lock) {
        this.target = target;
        this.staging = staging;
        this.lock = lock;
    }

    /**
     * Prepares to receive; removes what an ended process left of an earlier attempt.
     *
     * @param target folder to create, which must not exist
     * @throws java.nio.file.FileSystemException if it exists, or another process receives it
     */
    static ReceiveDirectory at(Path target) throws IOException {
        FolderLock lock = FolderLock.beside(target);
        try {
            Path absolute = requireAbsent(target);
            Path staging = absolute.resolveSibling("." + absolute.getFileName() + PARTIAL);
            FILES.deleteTree(staging);
            OwnerOnly.createDirectories(staging);
            return new ReceiveDirectory(absolute, staging, lock);
        } catch (IOException e) {
            lock.close();
            throw e;
        }
    }

    /** The absolute path of {@code target}, which must not exist. */
    static Path requireAbsent(Path target) throws FileAlreadyExistsException {
        Path absolute = target.toAbsolutePath().normalize();
        if (Files.exists(absolute)) {
            throw new FileAlreadyExistsException(
                    absolute.toString(), null, "already exists (remove it, or choose another --to)");
        }
        return absolute;
    }

    /** Removes what sessions of an ended process left in {@code folder}, which the caller has locked. */
    static void clean(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        for (Path entry : LocalFiles.entries(folder)) {
            String name = String.valueOf(entry.getFileName());
            if (name.startsWith(".") && (name.endsWith(PARTIAL) || name.endsWith(FolderLock.SUFFIX))) {
                FILES.deleteTree(entry);
            }
        }
    }

    /** Where the files lie until they are installed. */
    Path staging() {
        return staging;
    }

    /**
     * Checks that there is room for so many bytes.
     *
     * @throws StreamException if there is not
     */
    void requireRoom(long bytes) throws IOException {
        long usable = Files.getFileStore(staging).getUsableSpace();
        if (bytes > usable) {
            throw new StreamException(
                    ErrorCode.DISK_FULL,
                    target + ": " + bytes + " bytes are expected, and " + usable
                            + " are free (make room, or choose another --to)");
        }
    }

    /** Receives the files of a table in the target itself. */
    ReceivedTable table(TokenRanges ranges) {
        return new ReceivedTable(staging, ranges, checkers, syncer);
    }

    /** Receives the files of a table in a folder within the target. */
    ReceivedTable table(Path within, TokenRanges ranges) throws IOException {
        return new ReceivedTable(OwnerOnly.createDirectories(staging.resolve(within)), ranges, checkers, syncer);
    }

    /**
     * Renames the folder, whose files are durable, to the target; syncs the parent, so that it survives a power loss.
     */
    void install() throws IOException {
        for (Path path : LocalFiles.tree(staging)) {
            if (Files.isDirectory(path)) {
                FILES.syncDirectory(path);
            }
        }
        FILES.rename(staging, target);
        FILES.syncDirectory(target.resolveSibling(""));
    }

    private static Thread thread(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Removes everything that was not installed. */
    @Override
    public void close() throws IOException {
        try (lock) {
            remove();
        }
    }

    private void remove() throws IOException {
        checkers.shutdownNow();
        syncer.shutdownNow();
        try {
            if (!checkers.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    || !syncer.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException(
                        staging + ": still in use " + PATIENCE_SECONDS + " s after its session (remove it)");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        FILES.deleteTree(staging);
    }
}
