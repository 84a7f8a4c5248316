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
 * Offers what pinned SSTables hold of some ranges, each in the mode that {@link ModeChooser} picks. Of a slice only the
 * components but Data.db are made, in a folder of the session; the bytes of its Data.db that stay as they are leave
 * from the pinned file, and so do the chunks of what travels as rows. No row is decoded here.
 *
 * <p>Not thread-safe: confined to the preparation of one session.
 */
public final class SSTableOffers implements Offers {
    /** What a prepared SSTable may have besides what its source has: beginnings of chunks, and headers. */
    private static final long PREPARED_BYTES = 1 << 20;
    /** Others want the helpers, too. */
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

    /** Room on the disk for what is prepared. Thread-safe. */
    public interface SpaceLease {
        /**
         * Reserves room before something is written.
         *
         * @throws StreamException of code {@link ErrorCode#DISK_FULL} if there is none
         */
        void reserve(long lengthBytes) throws IOException;

        /** It is written: the disk counts it. */
        void release(long lengthBytes);
    }

    /**
     * No offers yet.
     *
     * @param files where that is: all that is written passes through
     * @param sliceFolder where slices are prepared; made when the first one is, and removed by the owner
     * @param room of the volume of {@code sliceFolder}
     * @param helpers prepare offers at the same time as the caller, who also ends alone if they are busy
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
     * About how many bytes {@code pinned} holds of {@code ranges}, as they lie on the disk. Reads indices, and makes
     * nothing.
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
        }
        return (long) bytes;
    }

    @Override
    public void add(OpenedTable pinned, TokenRanges ranges) throws IOException {
        List<FutureTask<OfferedSSTable>> prepared = new ArrayList<>();
        List<FutureTask<OfferedSSTable>> forHelpers = new ArrayList<>();
        for (SSTable sstable : pinned.sstables(progress::step)) {
            progress.step();
            requireNoIndexes(sstable);
            Optional<String> onlyRows = pinned.onlyRows()
                    .map(why -> "the database asks for rows: " + why)
                    .or(sstable::onlyRows);
            Decision decision = ModeChooser.decide(RequestedSections.of(sstable, ranges), settings, onlyRows);
            if (decision instanceof Decision.Slices slices) {
                for (List<RangeSection> group : slices.groups()) {
                    int number = offers.size() + prepared.size();
                    Path folder = sliceFolder.resolve(String.valueOf(folders++));
                    FutureTask<OfferedSSTable> task =
                            task(inRoom(sstable, () -> slice(pinned, sstable, group, slices.choice(), number, folder)));
                    prepared.add(task);
                    forHelpers.add(task);
                }
            } else if (decision instanceof Decision.AsOne one) {
                int number = offers.size() + prepared.size();
                if (one.choice().mode() == TransferMode.ROWS) {
                    FutureTask<OfferedSSTable> task =
                            task(inRoom(sstable, rows(pinned, sstable, ranges, one.choice(), number)));
                    prepared.add(task);
                    forHelpers.add(task);
                } else { // little is read, all of it through one buffer: not worth a second thread
                    prepared.add(task(() -> whole(pinned, sstable, one.choice(), number)));
                }
            }
        }
        offerAll(prepared, forHelpers);
    }

    /** Its rows would be there, and would not be found by who asks an index. */
    private static void requireNoIndexes(SSTable sstable) {
        if (!sstable.attachedIndexes().isEmpty()) {
            throw new StreamException(
                    ErrorCode.NOT_WHOLE,
                    sstable + " has secondary indexes beside it, " + sstable.attachedIndexes()
                            + ", whose files do not travel: the table would come without them. Drop the indexes, stream,"
                            + " and create them again");
        }
    }

    /** No slice has more of index and filter than its source. */
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
                progress.step(); // nothing is begun for a session that is over
                OfferedSSTable sstable = preparation.call();
                progress.step();
                return sstable;
            } catch (SSTableException damaged) {
                throw new StreamException(ErrorCode.CORRUPT_AT_SOURCE, String.valueOf(damaged.getMessage()), damaged);
            }
        });
    }

    /** Of some tasks one at a time, and then it takes its turn again, behind what others want of the helpers. */
    private final class Helper implements Runnable {
        private final Iterator<FutureTask<OfferedSSTable>> tasks;

        Helper(Iterator<FutureTask<OfferedSSTable>> tasks) {
            this.tasks = tasks;
        }

        @Override
        public void run() {
            Optional<FutureTask<OfferedSSTable>> next = next();
            next.ifPresent(FutureTask::run); // no effect on what somebody has begun
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

    /** Runs all, also if one fails, and offers those before it: none is at work any more when this returns. */
    private void offerAll(List<FutureTask<OfferedSSTable>> tasks, List<FutureTask<OfferedSSTable>> forHelpers)
            throws IOException {
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
                throw new InterruptedIOException("interrupted while offers were prepared");
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
        SliceWriter.SliceRegions outline =
                SliceWriter.sliceRegions(files, sstable, sections, folder, sstable.descriptor(), progress::step);
        SSTable slice = outline.files();
        List<SourceRegion> data = outline.data().stream()
                .map(piece -> new SourceRegion(piece.file(), piece.offset(), piece.lengthBytes()))
                .toList();
        ByteBuffer own = WholeSSTables.buffer(); // others are prepared at the same time
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
