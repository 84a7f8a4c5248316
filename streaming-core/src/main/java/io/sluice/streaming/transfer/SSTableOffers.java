package io.sluice.streaming.transfer;

import io.sluice.sstable.Coverage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.metadata.Digest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.store.PinnedTable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

/**
 * Offers what pinned SSTables hold of some ranges: an SSTable of which all partitions are wanted as whole files, a part
 * of one as slices, one for each stretch of tokens. Of a slice only the components but Data.db are made, in a folder of
 * the session; the bytes of its Data.db that stay as they are leave from the pinned file. No row is decoded.
 *
 * <p>Not thread-safe: confined to the preparation of one session.
 */
public final class SSTableOffers {
    private final Path sliceFolder;
    private final Executor helpers;
    private final List<OfferedSSTable> offers = new ArrayList<>();
    private final ByteBuffer buffer = WholeSSTables.buffer();
    private int slices;

    /**
     * No offers yet.
     *
     * @param sliceFolder where slices are prepared; made when the first one is, and removed by the owner
     * @param helpers prepare slices at the same time as the caller, who also ends alone if they are busy
     */
    public SSTableOffers(Path sliceFolder, Executor helpers) {
        this.sliceFolder = sliceFolder;
        this.helpers = helpers;
    }

    /** Removes the folder of a session's slices, if there is one. */
    public static void removeSlices(Path sliceFolder) throws IOException {
        if (!Files.exists(sliceFolder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(sliceFolder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    /** All that is offered so far; an offer's number is its place here. */
    public List<OfferedSSTable> offers() {
        return offers;
    }

    /**
     * Adds what {@code pinned} holds of {@code ranges}, or, if it throws, nothing.
     *
     * @throws StreamException of code {@link ErrorCode#NOT_WHOLE} if a part is wanted of an SSTable of a format of
     *     which no slices can be made
     * @throws StreamException of code {@link ErrorCode#CORRUPT_AT_SOURCE}, naming file and offset, if what a slice is
     *     made of is damaged
     * @throws IOException if a file cannot be read
     */
    public void add(PinnedTable pinned, TokenRanges ranges) throws IOException {
        int before = offers.size();
        try {
            addAll(pinned, ranges);
        } catch (IOException | RuntimeException e) {
            offers.subList(before, offers.size()).clear();
            throw e;
        }
    }

    private void addAll(PinnedTable pinned, TokenRanges ranges) throws IOException {
        List<FutureTask<Optional<SliceWriter.Outline>>> outlines = new ArrayList<>();
        for (SSTable sstable : pinned.sstables()) {
            Coverage coverage = sstable.coverage(ranges);
            if (coverage == Coverage.WHOLE) {
                offers.add(whole(pinned, sstable));
            } else if (coverage == Coverage.PART) {
                requireSliceable(pinned, sstable);
                for (TokenRange range : ranges.ranges()) {
                    Path folder = sliceFolder.resolve(String.valueOf(slices++));
                    outlines.add(new FutureTask<>(() -> outline(sstable, range, folder)));
                }
            }
        }
        for (Optional<SliceWriter.Outline> outline : runAll(outlines)) {
            if (outline.isPresent()) {
                offers.add(slice(pinned, outline.get()));
            }
        }
    }

    /** Runs all, also if one fails: none is at work any more when this returns. */
    private <T> List<T> runAll(List<FutureTask<T>> tasks) throws IOException {
        if (tasks.size() > 1) {
            tasks.forEach(helpers::execute);
        }
        tasks.forEach(FutureTask::run); // no effect on what a helper has begun
        List<T> results = new ArrayList<>();
        Throwable failure = null;
        for (FutureTask<T> task : tasks) {
            try {
                results.add(task.get());
            } catch (ExecutionException e) {
                failure = failure == null ? e.getCause() : failure;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while slices were prepared");
            }
        }
        if (failure instanceof IOException broken) {
            throw broken;
        } else if (failure instanceof RuntimeException refused) {
            throw refused;
        } else if (failure != null) {
            throw new IllegalStateException(failure);
        }
        return results;
    }

    private OfferedSSTable whole(PinnedTable pinned, SSTable sstable) throws IOException {
        SSTableOffer offer = WholeSSTables.offer(pinned.table(), sstable, offers.size(), buffer);
        FilePiece data = new FilePiece(sstable.path(Component.DATA), 0, sstable.lengthBytes(Component.DATA));
        return new OfferedSSTable(offer, sstable, List.of(data));
    }

    private static void requireSliceable(PinnedTable pinned, SSTable sstable) {
        if (!SliceWriter.canSlice(sstable)) {
            throw new StreamException(
                    ErrorCode.NOT_WHOLE,
                    pinned.table() + " " + sstable.descriptor() + " holds partitions outside the wanted ranges, and "
                            + "slices are made of nb and oa only (expected: ranges that hold all of it, or the table "
                            + "rewritten)");
        }
    }

    private static Optional<SliceWriter.Outline> outline(SSTable sstable, TokenRange range, Path folder)
            throws IOException {
        try {
            Files.createDirectories(folder);
            return SliceWriter.outline(sstable, range, folder, sstable.descriptor());
        } catch (SSTableException damaged) {
            throw new StreamException(ErrorCode.CORRUPT_AT_SOURCE, String.valueOf(damaged.getMessage()));
        }
    }

    private OfferedSSTable slice(PinnedTable pinned, SliceWriter.Outline outline) throws IOException {
        SSTable files = outline.files();
        Path own = files.path(Component.DATA);
        List<FilePiece> data = List.of(
                new FilePiece(own, 0, outline.headBytes()),
                new FilePiece(outline.link(), outline.linkOffset(), outline.linkBytes()),
                new FilePiece(
                        own, outline.headBytes(), outline.dataBytes() - outline.headBytes() - outline.linkBytes()));
        List<ComponentManifest> manifest = new ArrayList<>();
        for (Component component : files.components()) {
            if (component == Component.DATA) {
                long crc32 = Digest.read(files.path(Component.DIGEST)).crc();
                manifest.add(new ComponentManifest(component, outline.dataBytes(), crc32));
            } else if (component.isStreamed()) {
                manifest.add(WholeSSTables.manifest(files, component, buffer));
            }
        }
        SSTableOffer offer = new SSTableOffer(
                offers.size(),
                pinned.table().id(),
                files.descriptor(),
                files.firstToken(),
                files.lastToken(),
                manifest);
        return new OfferedSSTable(offer, files, data);
    }
}
