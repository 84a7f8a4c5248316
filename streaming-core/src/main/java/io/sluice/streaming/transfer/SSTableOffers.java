package io.sluice.streaming.transfer;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.encoding.OutputFiles;
import io.sluice.sstable.index.RangeSection;
import io.sluice.sstable.metadata.Digest;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.transfer.ModeChooser.Decision;
import io.sluice.streaming.transfer.block.OpenedTable;
import io.sluice.streaming.transfer.block.WholeSSTables;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

/**
 * Offers some ranges of pinned SSTables, each SSTable in the mode that {@link ModeChooser} selects. For a slice it
 * writes the components other than Data.db in a folder of the session; unchanged bytes of Data.db are sent from the
 * pinned file, and so are the chunks of rows. Decodes no row.
 *
 * <p>Not thread-safe: confined to the preparation of one session.
 */
public final class SSTableOffers implements Offers {
    /** The maximum extra bytes of a prepared SSTable: recompressed chunks at the ends, and headers. */
    private static final long PREPARED_BYTES = 1 << 20;
    /** A receiver stores attached files twice until the SSTable is live. */
    private static final int ATTACHED_COPIES = 2;
    /** Limits the helpers of one session, because others need them, too. */
    private static final int MOST_HELPERS = 3;

    private final OutputFiles files;
    private final Path sliceFolder;
    private final SpaceLease room;
    private final Executor helpers;
    private final Progress progress;
    private final List<OfferedSSTable> offers = new ArrayList<>();
    private final ByteBuffer buffer = WholeSSTables.buffer();
    private final ModeSettings settings;
    private int folders;
    /**
     * Whether there is only one SSTable: then helpers write its index while the caller reads the data; otherwise each
     * prepares whole SSTables.
     */
    private volatile boolean isOnlyOne;

    /** Disk space for prepared files. Thread-safe. */
    public interface SpaceLease {
        /**
         * Reserves space before a write.
         *
         * @throws StreamException of code {@link ErrorCode#DISK_FULL} if there is not enough space
         */
        void reserve(long lengthBytes) throws IOException;

        /** Releases space that is written or not needed. */
        void release(long lengthBytes);
    }

    /**
     * Starts without offers.
     *
     * @param files the disk for prepared files
     * @param sliceFolder where slices are prepared; created with the first one, and removed by the owner
     * @param room space on the volume of {@code sliceFolder}
     * @param helpers prepare offers in parallel to the caller, who does not depend on them
     */
    public SSTableOffers(
            OutputFiles files,
            Path sliceFolder,
            SpaceLease room,
            ModeSettings settings,
            Executor helpers,
            Progress progress) {
        this.files = files;
        this.sliceFolder = sliceFolder;
        this.room = room;
        this.settings = settings;
        this.helpers = helpers;
        this.progress = progress;
    }

    @Override
    public List<OfferedSSTable> offers() {
        return offers;
    }

    /**
     * Estimates the bytes on disk that {@code pinned} holds in {@code ranges}. Reads indexes only.
     *
     * @param progress runs for each SSTable
     * @throws IOException if a file cannot be read
     */
    public static long estimateBytes(OpenedTable pinned, TokenRanges ranges, Runnable progress) throws IOException {
        double bytes = 0;
        for (SSTable sstable : pinned.sstables(progress)) {
            progress.run();
            RequestedSections wanted = RequestedSections.of(sstable, ranges);
            bytes += wanted.storedPerByte() * wanted.wantedBytes();
            if (wanted.isAll()) {
                bytes += ATTACHED_COPIES
                        * sstable.attached().values().stream()
                                .mapToLong(Long::longValue)
                                .sum();
            }
        }
        return (long) bytes;
    }

    @Override
    public void add(OpenedTable pinned, TokenRanges ranges) throws IOException {
        List<FutureTask<OfferedSSTable>> prepared = new ArrayList<>();
        List<FutureTask<OfferedSSTable>> forHelpers = new ArrayList<>();
        for (SSTable sstable : pinned.sstables(progress::step)) {
            progress.step();
            Optional<String> onlyRows = pinned.onlyRows()
                    .map(why -> "the database requires rows: " + why)
                    .or(sstable::onlyRows);
            Decision decision = ModeChooser.decide(RequestedSections.of(sstable, ranges), settings, onlyRows);
            if (!(decision instanceof Decision.Nothing)) {
                AttachedOffers.requireIndexes(sstable, decision.choice().mode(), settings.receiver());
            }
            if (decision instanceof Decision.Slices slices) {
                for (List<RangeSection> group : slices.groups()) {
                    int number = offers.size() + prepared.size();
                    Path folder = sliceFolder.resolve(String.valueOf(folders++));
                    FutureTask<OfferedSSTable> task = task(inRoom(
                            sstable,
                            withAttached(
                                    sstable, () -> slice(pinned, sstable, group, slices.choice(), number, folder))));
                    prepared.add(task);
                    forHelpers.add(task);
                }
            } else if (decision instanceof Decision.AsOne one) {
                int number = offers.size() + prepared.size();
                if (one.choice().mode() == TransferMode.ROWS) {
                    FutureTask<OfferedSSTable> task = task(inRoom(
                            sstable, withAttached(sstable, rows(pinned, sstable, ranges, one.choice(), number))));
                    prepared.add(task);
                    forHelpers.add(task);
                } else { // little is read, through one buffer: not worth a second thread
                    prepared.add(task(withAttached(sstable, () -> whole(pinned, sstable, one.choice(), number))));
                }
            }
        }
        offerAll(prepared, forHelpers);
    }

    /** Reserves space for a preparation: index and filter of a slice are not larger than its source's. */
    private Callable<OfferedSSTable> inRoom(SSTable sstable, Callable<OfferedSSTable> preparation) {
        return () -> {
            long bytes = sstable.bytesOnDisk() - sstable.lengthBytes(Component.DATA) + PREPARED_BYTES;
            room.reserve(bytes);
            try {
                return preparation.call();
            } finally {
                room.release(bytes);
            }
        };
    }

    private Callable<OfferedSSTable> withAttached(SSTable sstable, Callable<OfferedSSTable> preparation) {
        if (sstable.attached().isEmpty() && sstable.indexes().isEmpty()) {
            return preparation;
        }
        Path own = sliceFolder.resolve(folders++ + "-" + Component.ATTACHED.fileName());
        var beside = new AttachedOffers(files, own, progress::step);
        return () -> beside.with(preparation.call(), sstable, settings.receiver());
    }

    private Callable<OfferedSSTable> rows(
            OpenedTable pinned, SSTable sstable, TokenRanges ranges, ModeChoice choice, int number) {
        Path own = sliceFolder.resolve(folders++ + "-" + Component.PART.fileName());
        return () -> {
            files.createDirectories(sliceFolder);
            return new RowOffers(files, own, progress::step).of(pinned, sstable, ranges, choice, number);
        };
    }

    private FutureTask<OfferedSSTable> task(Callable<OfferedSSTable> preparation) {
        return new FutureTask<>(() -> {
            try {
                progress.step(); // throws if the session is over
                OfferedSSTable sstable = preparation.call();
                progress.step();
                return sstable;
            } catch (SSTableException damaged) {
                throw new StreamException(ErrorCode.CORRUPT_AT_SOURCE, String.valueOf(damaged.getMessage()), damaged);
            }
        });
    }

    /** Runs one task, and then queues itself again behind the tasks of other sessions. */
    private final class Helper implements Runnable {
        private final Iterator<FutureTask<OfferedSSTable>> tasks;

        Helper(Iterator<FutureTask<OfferedSSTable>> tasks) {
            this.tasks = tasks;
        }

        @Override
        public void run() {
            Optional<FutureTask<OfferedSSTable>> next = next();
            next.ifPresent(FutureTask::run); // no effect if another thread has begun it
            if (next.isPresent()) {
                helpers.execute(this);
            }
        }

        private Optional<FutureTask<OfferedSSTable>> next() {
            synchronized (tasks) {
                return tasks.hasNext() ? Optional.of(tasks.next()) : Optional.empty();
            }
        }
    }

    /**
     * Runs all tasks, even if one fails, and offers those before the failed one; no task is running when this returns.
     */
    private void offerAll(List<FutureTask<OfferedSSTable>> tasks, List<FutureTask<OfferedSSTable>> forHelpers)
            throws IOException {
        isOnlyOne = forHelpers.size() == 1;
        Iterator<FutureTask<OfferedSSTable>> shared = forHelpers.iterator();
        for (int i = 0; i < Math.min(MOST_HELPERS, forHelpers.size() - 1); i++) {
            helpers.execute(new Helper(shared));
        }
        Throwable failure = null;
        for (FutureTask<OfferedSSTable> task : tasks) {
            task.run();
            try {
                OfferedSSTable sstable = task.get();
                if (failure == null) {
                    offers.add(sstable);
                    progress.offered(sstable);
                }
            } catch (ExecutionException e) {
                failure = failure == null ? e.getCause() : failure;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted during the preparation of offers");
            }
        }
        if (failure instanceof IOException broken) {
            throw broken;
        } else if (failure instanceof RuntimeException refused) {
            throw refused;
        } else if (failure != null) {
            throw new IllegalStateException(failure);
        }
    }

    private OfferedSSTable whole(OpenedTable pinned, SSTable sstable, ModeChoice choice, int number)
            throws IOException {
        SSTableOffer offer = WholeSSTables.offer(pinned.table(), sstable, choice, number, buffer, progress::step);
        SourceRegion data = new SourceRegion(sstable.path(Component.DATA), 0, sstable.lengthBytes(Component.DATA));
        return new OfferedSSTable(offer, sstable, List.of(data));
    }

    private OfferedSSTable slice(
            OpenedTable pinned,
            SSTable sstable,
            List<RangeSection> sections,
            ModeChoice choice,
            int number,
            Path folder)
            throws IOException {
        files.createDirectories(folder);
        var effort = new SliceWriter.Effort(isOnlyOne ? helpers : Runnable::run, position -> progress.step());
        SliceWriter.SliceRegions outline =
                SliceWriter.sliceRegions(files, sstable, sections, folder, sstable.descriptor(), effort);
        SSTable slice = outline.files();
        List<SourceRegion> data = outline.data().stream()
                .map(piece -> new SourceRegion(piece.file(), piece.offset(), piece.lengthBytes()))
                .toList();
        ByteBuffer own = WholeSSTables.buffer(); // others are prepared concurrently
        List<ComponentManifest> manifest = new ArrayList<>();
        for (Component component : slice.components()) {
            if (component == Component.DATA) {
                long crc32 = Digest.read(slice.path(Component.DIGEST)).crc();
                manifest.add(new ComponentManifest(component, outline.dataBytes(), crc32));
            } else if (component.isStreamed()) {
                manifest.add(WholeSSTables.manifest(slice, component, own, progress::step));
            }
        }
        SSTableOffer offer = new SSTableOffer(
                number,
                pinned.table().id(),
                slice.descriptor(),
                slice.firstToken(),
                slice.lastToken(),
                choice,
                manifest);
        return new OfferedSSTable(offer, slice, data);
    }
}
