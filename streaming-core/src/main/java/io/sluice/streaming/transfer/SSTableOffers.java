package io.sluice.streaming.transfer;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.data.SlicePlacement;
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
import io.sluice.streaming.transfer.block.ParallelTasks;
import io.sluice.streaming.transfer.block.WholeSSTables;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Offers some ranges of pinned SSTables, each SSTable in the mode that {@link ModeChooser} selects. For a slice it
 * writes the components other than Data.db in a folder of the session; unchanged bytes of Data.db are sent from the
 * pinned file, and so are the chunks of rows. Decodes no row.
 *
 * <p>Not thread-safe: confined to the preparation of one session.
 */
public final class SSTableOffers implements Offers {
    /** The maximum extra bytes of a prepared SSTable: headers, and a compression that is worse than its source's. */
    private static final long PREPARED_BYTES = 1 << 20;
    /** Sections of one SSTable for which the memory of its offer suffices. */
    private static final int FEW_SECTIONS = 8;
    /** A receiver stores attached files twice until the SSTable is live. */
    private static final int ATTACHED_COPIES = 2;

    private final OutputFiles files;
    private final Path sliceFolder;
    private final SpaceLease room;
    private final Executor helpers;
    private final Progress progress;
    private final List<OfferedSSTable> offers = new ArrayList<>();
    private final Queue<Chosen> chosen = new ArrayDeque<>();
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
     * @param helpers open SSTables in parallel to the caller
     * @param progress runs for each SSTable
     * @throws IOException if a file cannot be read, or an index is malformed
     */
    public static long estimateBytes(OpenedTable pinned, TokenRanges ranges, Executor helpers, Runnable progress)
            throws IOException {
        double bytes = 0;
        for (SSTable sstable : pinned.sstables(helpers, progress)) {
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

    /** An offer that is not prepared yet. */
    private interface Chosen {
        /**
         * The bytes of the files that are written for it, at most; 0 if little is read, through one buffer: that is not
         * worth a second thread.
         */
        long temporaryBytes() throws IOException;

        /** Prepares it, as the offer with that number. */
        Callable<OfferedSSTable> preparation(int number);
    }

    /** An offer of one SSTable, whole or as rows. */
    private record ChosenWhole(long temporaryBytes, IntFunction<Callable<OfferedSSTable>> byNumber) implements Chosen {
        @Override
        public Callable<OfferedSSTable> preparation(int number) {
            return byNumber.apply(number);
        }
    }

    /** A slice, whose sections are placed when it is its turn: that shows how much of its Data.db is new. */
    private final class ChosenSlice implements Chosen {
        private final OpenedTable pinned;
        private final SSTable sstable;
        private final List<RangeSection> sections;
        private final ModeChoice choice;
        private final Path folder = sliceFolder.resolve(String.valueOf(folders++));
        private @Nullable SlicePlacement placement;

        ChosenSlice(OpenedTable pinned, SSTable sstable, List<RangeSection> sections, ModeChoice choice) {
            this.pinned = pinned;
            this.sstable = sstable;
            this.sections = sections;
            this.choice = choice;
        }

        private SlicePlacement placement() throws IOException {
            SlicePlacement known = placement;
            if (known == null) {
                known = SlicePlacement.of(sstable, sections, progress::step);
                placement = known;
            }
            return known;
        }

        @Override
        public long temporaryBytes() throws IOException {
            double storedPerByte = (double) sstable.lengthBytes(Component.DATA) / sstable.dataLengthBytes();
            return SSTableOffers.temporaryBytes(sstable)
                    + (long) Math.ceil(placement().newBytes() * storedPerByte);
        }

        @Override
        public Callable<OfferedSSTable> preparation(int number) {
            return withAttached(sstable, () -> slice(pinned, sstable, placement(), choice, number, folder));
        }
    }

    /** An offer whose space is reserved. */
    private record Admitted(long temporaryBytes, FutureTask<Ready> task) {}

    /** A prepared offer. */
    private record Ready(OfferedSSTable sstable, long temporaryBytes) {}

    @Override
    public int choose(OpenedTable pinned, TokenRanges ranges) throws IOException {
        chosen.clear();
        for (SSTable sstable : pinned.sstables(helpers, progress::step)) {
            progress.step();
            Optional<String> onlyRows = pinned.onlyRows()
                    .map(why -> "the database requires rows: " + why)
                    .or(sstable::onlyRows);
            RequestedSections wanted = RequestedSections.of(sstable, ranges);
            Decision decision = ModeChooser.decide(wanted, settings, onlyRows);
            if (!(decision instanceof Decision.Nothing)) {
                AttachedOffers.requireIndexes(sstable, decision.choice().mode(), settings.receiver());
                progress.keeps(Math.max(0, wanted.rangeSections().size() - FEW_SECTIONS));
            }
            if (decision instanceof Decision.Slices slices) {
                for (List<RangeSection> group : slices.groups()) {
                    chosen.add(new ChosenSlice(pinned, sstable, group, slices.choice()));
                }
            } else if (decision instanceof Decision.AsOne one) {
                ModeChoice choice = one.choice();
                chosen.add(
                        choice.mode() == TransferMode.ROWS
                                ? new ChosenWhole(
                                        temporaryBytes(sstable),
                                        number -> withAttached(sstable, rows(pinned, sstable, ranges, choice, number)))
                                : new ChosenWhole(
                                        0,
                                        number -> withAttached(sstable, () -> whole(pinned, sstable, choice, number))));
            }
        }
        return chosen.size();
    }

    /** Index and filter of a slice are not larger than its source's. */
    private static long temporaryBytes(SSTable sstable) throws IOException {
        return sstable.bytesOnDisk() - sstable.lengthBytes(Component.DATA) + PREPARED_BYTES;
    }

    @Override
    public boolean prepare() throws IOException {
        while (!chosen.isEmpty()) {
            List<Admitted> admitted = admit();
            if (admitted.isEmpty()) {
                return false;
            }
            offerAll(admitted);
        }
        return true;
    }

    /** Takes the next ones for whose temporary files there is room, and reserves it. */
    private List<Admitted> admit() throws IOException {
        List<Admitted> admitted = new ArrayList<>();
        long bytes = 0;
        try {
            Chosen next = chosen.peek();
            while (next != null) {
                long own = next.temporaryBytes();
                if (!progress.hasRoom(bytes + own) || !reserve(own, admitted.isEmpty())) {
                    break;
                }
                bytes += own;
                chosen.remove();
                admitted.add(new Admitted(own, task(next, own, offers.size() + admitted.size())));
                next = chosen.peek();
            }
            return admitted;
        } catch (IOException | RuntimeException | Error e) {
            room.release(bytes); // the tasks, which would release it, are never run
            throw e;
        }
    }

    /** Returns whether there is space; throws if waiting will not help. */
    private boolean reserve(long temporaryBytes, boolean isFirst) throws IOException {
        if (temporaryBytes == 0) {
            return true; // it writes nothing: a full disk is no obstacle
        }
        try {
            room.reserve(temporaryBytes);
            return true;
        } catch (StreamException full) {
            if (full.code() == ErrorCode.DISK_FULL && (!isFirst || progress.frees())) {
                return false;
            }
            throw full;
        }
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

    private FutureTask<Ready> task(Chosen next, long temporaryBytes, int number) {
        Callable<OfferedSSTable> preparation = next.preparation(number);
        return new FutureTask<>(() -> {
            try {
                progress.step(); // throws if the session is over
                OfferedSSTable sstable = preparation.call();
                progress.step();
                return new Ready(sstable, temporaryBytes);
            } catch (SSTableException damaged) {
                throw new StreamException(ErrorCode.CORRUPT_AT_SOURCE, String.valueOf(damaged.getMessage()), damaged);
            } finally {
                room.release(temporaryBytes);
            }
        });
    }

    /** Runs all tasks, even if one fails, and offers those before the failed one. */
    private void offerAll(List<Admitted> admitted) throws IOException {
        List<FutureTask<Ready>> forHelpers = admitted.stream()
                .filter(offer -> offer.temporaryBytes() > 0)
                .map(Admitted::task)
                .toList();
        isOnlyOne = forHelpers.size() == 1;
        List<FutureTask<Ready>> all = admitted.stream().map(Admitted::task).toList();
        ParallelTasks.run(all, forHelpers, helpers, ready -> {
            offers.add(ready.sstable());
            progress.offered(ready.sstable(), ready.temporaryBytes());
        });
    }

    private OfferedSSTable whole(OpenedTable pinned, SSTable sstable, ModeChoice choice, int number)
            throws IOException {
        SSTableOffer offer = WholeSSTables.offer(pinned.table(), sstable, choice, number, buffer, progress::step);
        SourceRegion data = new SourceRegion(sstable.path(Component.DATA), 0, sstable.lengthBytes(Component.DATA));
        return new OfferedSSTable(offer, sstable, List.of(data));
    }

    private OfferedSSTable slice(
            OpenedTable pinned, SSTable sstable, SlicePlacement placement, ModeChoice choice, int number, Path folder)
            throws IOException {
        files.createDirectories(folder);
        var effort = new SliceWriter.Effort(isOnlyOne ? helpers : Runnable::run, position -> progress.step());
        SummedFiles summed = new SummedFiles(files);
        SliceWriter.SliceRegions outline =
                SliceWriter.sliceRegions(summed, sstable, placement, folder, sstable.descriptor(), effort);
        outline.filterProblem()
                .ifPresent(problem -> progress.replaced(new Replaced(pinned.table(), Component.FILTER, problem)));
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
                OptionalLong crc32 = summed.crc32(slice.path(component));
                manifest.add(
                        crc32.isPresent()
                                ? new ComponentManifest(component, slice.lengthBytes(component), crc32.getAsLong())
                                : WholeSSTables.manifest(slice, component, own, progress::step));
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
