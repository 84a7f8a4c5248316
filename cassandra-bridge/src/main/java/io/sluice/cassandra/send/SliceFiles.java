package io.sluice.cassandra.send;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.index.RangeSection;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slices of one session, without the regions of Data.db that are sent from the source file. Stored in a temporary
 * folder that is removed on close. Not thread-safe: confined to its session.
 */
final class SliceFiles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SliceFiles.class);

    private final LocalFiles files = new LocalFiles();
    private final SliceWriter.Effort effort;
    private @Nullable Path folder;
    private int count;

    /** @param step is called after each piece of data, and ends the work by an exception */
    SliceFiles(Runnable step) {
        this.effort = new SliceWriter.Effort(Runnable::run, position -> step.run());
    }

    /**
     * Cuts a slice and verifies the parts of its source.
     *
     * @return empty if no partition is in the ranges
     * @throws StreamException if the source is damaged
     */
    Optional<SliceWriter.SliceRegions> cut(SSTableTransfer.Slice slice) throws IOException {
        if (folder == null) {
            folder = Files.createTempDirectory("sluice-slices");
        }
        Path own = Files.createDirectory(folder.resolve(String.valueOf(count++)));
        SSTable source = slice.sstable();
        try {
            List<RangeSection> rangeSections = source.rangeSections(slice.ranges());
            if (rangeSections.isEmpty()) {
                return Optional.empty();
            }
            SliceWriter.SliceRegions regions =
                    SliceWriter.sliceRegions(files, source, rangeSections, own, source.descriptor(), effort);
            regions.filterProblem()
                    .ifPresent(problem -> LOG.warn(
                            "{}; its slice has a new filter: verify the SSTable, and write it again", problem));
            return Optional.of(regions);
        } catch (SSTableException damaged) {
            throw new StreamException(ErrorCode.CORRUPT_AT_SOURCE, String.valueOf(damaged.getMessage()));
        }
    }

    @Override
    public void close() throws IOException {
        if (folder != null) {
            files.deleteTree(folder);
        }
    }
}
