package io.sluice.harness.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.encoding.OwnerOnly;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes that are in no SSTable yet, in append-only files: {@code sluice-<number>.log}.
 *
 * <pre>
 * offset  size  big-endian
 *      0     8  "SluiceL1"
 * then records, until the file ends or a record is incomplete:
 *      0     4  payload length n              1..32 MiB
 *      4     8  bytes of this file that were on disk when this record was written
 *     12     4  CRC-32 of the 12 bytes above
 *     16     n  payload
 *   16+n     4  CRC-32 of the payload
 * </pre>
 *
 * An incomplete record ends the file unless a later record states that it was on disk: this distinguishes the end of a
 * write that was never acknowledged from damage.
 *
 * <p>Thread-safe.
 */
final class CommitLog implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(CommitLog.class);
    private static final Pattern NAME = Pattern.compile("sluice-(\\d{1,18})\\.log");
    private static final long PERIOD_MILLIS = 1000;

    private final Path directory;
    private final SyncPolicy policy;
    private final ScheduledExecutorService syncer;

    @GuardedBy("this")
    private long number;

    @GuardedBy("this")
    private final List<LogSegment> full = new ArrayList<>();

    @GuardedBy("this")
    private LogSegment current;

    /** Position of a write in the log. */
    record Position(LogSegment segment, long end) {}

    /** Receives the records found in the log. */
    @FunctionalInterface
    interface Replay {
        void accept(ByteBuffer payload) throws IOException;
    }

    private CommitLog(Path directory, SyncPolicy policy, long number, LogSegment current) {
        this.directory = directory;
        this.policy = policy;
        this.number = number;
        this.current = current;
        this.syncer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "sluice-commitlog");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Creates a new file after all existing ones, which stay until {@link #discard}. */
    static CommitLog open(Path directory, SyncPolicy policy) throws IOException {
        OwnerOnly.createDirectories(directory);
        List<Path> old = files(directory);
        long number = old.isEmpty() ? 1 : numberOf(old.get(old.size() - 1)) + 1;
        CommitLog log = new CommitLog(directory, policy, number, create(directory, number));
        if (policy == SyncPolicy.PERIODIC) {
            var unused = log.syncer.scheduleWithFixedDelay(
                    log::syncQuietly, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
        }
        return log;
    }

    /** Reads the files of earlier processes, oldest first; returns the number of records. */
    static long replay(List<Path> files, Replay replay) throws IOException {
        long records = 0;
        for (Path file : files) {
            LogReader reader = LogReader.open(file);
            for (Optional<ByteBuffer> next = reader.next(); next.isPresent(); next = reader.next()) {
                replay.accept(next.get());
                records++;
            }
        }
        return records;
    }

    /** The files in a directory, oldest first. */
    static List<Path> files(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        return LocalFiles.entries(directory).stream()
                .filter(file -> NAME.matcher(file.getFileName().toString()).matches())
                .sorted(Comparator.comparingLong(CommitLog::numberOf))
                .toList();
    }

    private static long numberOf(Path file) {
        Matcher matcher = NAME.matcher(file.getFileName().toString());
        return matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
    }

    private static LogSegment create(Path directory, long number) throws IOException {
        LogSegment segment = LogSegment.create(directory.resolve("sluice-" + number + ".log"));
        new LocalFiles().syncDirectory(directory);
        return segment;
    }

    /** Appends a record, which is not safe until {@link #acknowledge}. */
    Position append(ByteBuffer payload) throws IOException {
        LogSegment segment = current();
        return new Position(segment, segment.append(payload));
    }

    /** Returns when the record is as durable as the policy requires. */
    void acknowledge(Position position) throws IOException {
        if (policy == SyncPolicy.BATCH) {
            position.segment().sync(position.end());
        }
    }

    private synchronized LogSegment current() {
        return current;
    }

    /** Starts a new file; the caller must prevent appends meanwhile. Returns the files that are now complete. */
    synchronized List<LogSegment> rotate() throws IOException {
        number++; // first: a full disk may leave a file of that name
        LogSegment next = create(directory, number);
        full.add(current);
        current = next;
        return List.copyOf(full);
    }

    /** Whether complete files are left, as an earlier {@link #discard} failed or is still to come. */
    synchronized boolean hasFull() {
        return !full.isEmpty();
    }

    /** Removes files whose writes are all in SSTables. */
    synchronized void discard(List<LogSegment> flushed) throws IOException {
        for (LogSegment segment : flushed) {
            if (!segment.isFailed()) { // else whoever still waits for its acknowledgement is refused it
                segment.sync(segment.written());
            }
            segment.close();
            Files.deleteIfExists(segment.file());
            full.remove(segment);
        }
        new LocalFiles().syncDirectory(directory);
    }

    private void syncQuietly() {
        LogSegment segment = current();
        try {
            segment.sync(segment.written());
        } catch (IOException e) {
            LOG.error("cannot sync commit log {}, refusing writes", segment.file(), e);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        syncer.shutdownNow();
        try (LogSegment last = current) {
            last.sync(last.written());
            for (LogSegment segment : full) {
                segment.close();
            }
        }
    }
}
