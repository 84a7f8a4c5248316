package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.compression.DataWriter;
import io.sluice.sstable.compression.PlainSums;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.NewComponents;
import io.sluice.sstable.encoding.OutputFiles;
import io.sluice.sstable.index.IndexFiles;
import io.sluice.sstable.key.Murmur3;
import io.sluice.sstable.metadata.BloomFilter;
import io.sluice.sstable.metadata.Statistics;
import io.sluice.sstable.metadata.Stats;
import io.sluice.sstable.metadata.Toc;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleFunction;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The files of an SSTable that is being written. They have temporary names, which databases remove at their start,
 * until all are complete and synced. All writes use its {@link OutputFiles}. Not thread-safe: confined to its writer,
 * which closes it.
 */
final class NewSSTable implements Closeable {
    private static final String TEMPORARY = ".tmp";

    private final Place place;
    private final Made made;
    private final WriterOptions options;
    private final DataWriter data;
    private final IndexFiles index;
    private final KeyHashes hashes = new KeyHashes();
    private @Nullable BloomFilter givenFilter;
    private int testInterval;
    private boolean lacksKeys;
    private final boolean isDurable;
    private boolean isFinished;

    /**
     * The location of a new SSTable. Immutable.
     *
     * @param directory exists
     */
    record Place(OutputFiles files, Path directory, Descriptor descriptor) {
        private Path file(Component component) {
            return directory.resolve(descriptor.fileName(component));
        }

        private Path temporary(Component component) {
            return directory.resolve(descriptor.fileName(component) + TEMPORARY);
        }

        /** Removes all files of the SSTable, finished or not. */
        void clear() throws IOException {
            for (Component component : Component.ofSSTables()) {
                files.delete(temporary(component));
                files.delete(file(component));
            }
        }
    }

    /** Creates files under temporary names, and records them. Not thread-safe. */
    private static final class Made implements NewComponents {
        private final Place place;
        private final Set<Component> components = EnumSet.noneOf(Component.class);

        Made(Place place) {
            this.place = place;
        }

        @Override
        public ComponentOutput create(Component component) throws IOException {
            ComponentOutput out = ComponentOutput.create(place.files(), place.temporary(component));
            components.add(component);
            return out;
        }

        void discard(Throwable failed) {
            for (Component component : components) {
                try {
                    place.files().delete(place.temporary(component));
                } catch (IOException e) {
                    failed.addSuppressed(e);
                }
            }
        }
    }

    private NewSSTable(Made made, WriterOptions options, boolean isDurable) throws IOException {
        this.place = made.place;
        this.made = made;
        this.isDurable = isDurable;
        this.options = options;
        this.data = options.compression().isPresent()
                ? DataWriter.compressed(
                        made, options.compression().get(), place.descriptor().version())
                : DataWriter.plain(made);
        try {
            this.index = switch (place.descriptor().version().format()) {
                case BIG -> IndexFiles.Big.create(made, options.minIndexInterval());
                case BTI -> IndexFiles.Tries.create(made);
            };
        } catch (IOException | RuntimeException | Error failed) {
            data.close();
            throw failed;
        }
    }

    /** @param isDurable whether its files are synced; files of a session need not be */
    static NewSSTable create(Place place, WriterOptions options, boolean isDurable) throws IOException {
        Path data = place.file(Component.DATA);
        if (place.files().exists(data)) { // the final rename would replace it silently
            throw new FileAlreadyExistsException(data.toString());
        }
        Made made = new Made(place);
        try {
            return new NewSSTable(made, options, isDurable);
        } catch (IOException | RuntimeException | Error failed) {
            made.discard(failed);
            throw failed;
        }
    }

    /** The finished SSTable. */
    record Finished(SSTable sstable, DataWriter.Written data) {}

    /** Uncompressed bytes of Data.db. */
    long dataLengthBytes() {
        return data.position();
    }

    void addData(ByteBuffer bytes) throws IOException {
        data.write(bytes);
    }

    /** Appends a stored chunk of another Data.db; see {@link DataWriter#writeStored}. */
    void addStored(ByteBuffer stored, int plainLengthBytes) throws IOException {
        data.writeStored(stored, plainLengthBytes);
    }

    /** See {@link DataWriter#beginLink}. */
    void beginLink(long position) {
        data.beginLink(position);
    }

    /** Links a section of a plain Data.db; see {@link PlainSums#link}. */
    void link(PlainSums source, long start, long end, LongConsumer reached) throws IOException {
        source.link(start, end, data, reached);
    }

    /** See {@link DataWriter#endLink()}. */
    void endLink() {
        data.endLink();
    }

    /** The index to which partitions are appended; {@link #addHash} must be called for each of them. */
    IndexFiles index() {
        return index;
    }

    /**
     * Uses a filter that should have all copied keys; {@link #addHash} adds others. Called before it.
     *
     * @param interval of the copied keys of which the hashes are tested
     */
    void useFilter(BloomFilter filter, int interval) {
        givenFilter = filter;
        testInterval = interval;
    }

    /** Interval of the copied keys of which {@link #copiedHash} needs hashes: 0 if it needs none. */
    int hashInterval() {
        return options.filterChance() >= 1 ? 0 : givenFilter == null ? 1 : testInterval;
    }

    /** Adds the hash of a copied key, or tests the given filter with it. */
    void copiedHash(Murmur3 hash) {
        if (givenFilter == null) {
            hashes.add(hash);
        } else if (!givenFilter.mayContain(hash)) {
            lacksKeys = true;
        }
    }

    /** Whether the given filter does not have all copied keys. */
    boolean lacksKeys() {
        return lacksKeys;
    }

    /** Forgets the given filter: the hashes of all keys must be added. */
    void dropFilter() {
        givenFilter = null;
    }

    /** Adds the hash of a key, in any order. */
    void addHash(Murmur3 hash) {
        if (givenFilter != null) {
            givenFilter.add(hash);
        } else if (options.filterChance() < 1) {
            hashes.add(hash);
        }
    }

    /**
     * Completes all files, syncs them if required, and renames them, the TOC last.
     *
     * <p>Data.db does not contain linked bytes.
     *
     * @param header the component HEADER
     * @param statsOfRatio creates the component STATS for the actual compression ratio
     */
    Finished finish(Bytes header, DoubleFunction<Stats> statsOfRatio) throws IOException {
        DataWriter.Written written = data.finish();
        index.finish();
        if (options.filterChance() < 1) {
            try (ComponentOutput out = made.create(Component.FILTER)) {
                BloomFilter filter = givenFilter != null ? givenFilter : hashes.toFilter(options.filterChance());
                filter.write(out, place.descriptor().version());
                out.finish();
            }
        }
        var statistics = new Statistics(
                place.descriptor().version(),
                new Statistics.Validation(Statistics.MURMUR3, options.filterChance()),
                Optional.empty(), // the sketch of the keys, which readers do not need
                statsOfRatio.apply(written.compressionRatio()),
                header);
        made.write(Component.STATISTICS, statistics.encode());
        Set<Component> components = EnumSet.of(Component.TOC);
        components.addAll(made.components);
        made.write(Component.TOC, Toc.of(components).encode());
        OutputFiles files = place.files();
        if (isDurable) {
            for (Component component : components) {
                files.syncFile(place.temporary(component));
            }
            files.syncDirectory(place.directory());
        }
        for (Component component : components) { // in the order of the enum: TOC last
            files.rename(place.temporary(component), place.file(component));
        }
        if (isDurable) {
            files.syncDirectory(place.directory());
        }
        isFinished = true;
        return new Finished(SSTable.open(place.directory(), place.descriptor()), written);
    }

    @Override
    public void close() throws IOException {
        try (data) {
            index.close();
        } finally {
            if (!isFinished) {
                place.clear();
            }
        }
    }
}
