package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.compression.DataWriter;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.index.EntryCursor;
import io.sluice.sstable.index.IndexWriter;
import io.sluice.sstable.index.SummaryWriter;
import io.sluice.sstable.metadata.Statistics;
import io.sluice.sstable.metadata.Stats;
import io.sluice.sstable.metadata.Toc;
import io.sluice.sstable.token.PartitionKey;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleFunction;
import java.util.function.Function;

/**
 * The files of an SSTable that is being written. They have temporary names, which every store removes at its start,
 * until all are complete and synced. Not thread-safe: confined to its writer, who closes it.
 */
final class NewSSTable implements Closeable {
    private static final String TEMPORARY = ".tmp";

    private final Path directory;
    private final Descriptor descriptor;
    private final WriterOptions options;
    private final DataWriter data;
    private final IndexWriter index;
    private final SummaryWriter summary;
    private final KeyHashes hashes = new KeyHashes();
    private final boolean isDurable;
    private boolean isFinished;

    private NewSSTable(Path directory, Descriptor descriptor, WriterOptions options, boolean isDurable)
            throws IOException {
        this.isDurable = isDurable;
        this.directory = directory;
        this.descriptor = descriptor;
        this.options = options;
        this.summary = new SummaryWriter(options.minIndexInterval());
        Function<Component, Path> files = this::temporary;
        this.data = options.compression().isPresent()
                ? DataWriter.compressed(files, options.compression().get())
                : DataWriter.plain(files);
        try {
            this.index = IndexWriter.create(temporary(Component.INDEX));
        } catch (IOException | RuntimeException failed) {
            data.close();
            throw failed;
        }
    }

    /** @param isDurable whether its files are synced; those that live no longer than a session need not be */
    static NewSSTable create(Path directory, Descriptor descriptor, WriterOptions options, boolean isDurable)
            throws IOException {
        Path data = directory.resolve(descriptor.fileName(Component.DATA));
        if (Files.exists(data)) { // the renaming at the end would replace it silently
            throw new FileAlreadyExistsException(data.toString());
        }
        return new NewSSTable(directory, descriptor, options, isDurable);
    }

    /** What has become of it. */
    record Finished(SSTable sstable, DataWriter.Written data) {}

    /** Uncompressed bytes of Data.db. */
    long dataLengthBytes() {
        return data.position();
    }

    void addData(ByteBuffer bytes) throws IOException {
        data.write(bytes);
    }

    /** Appends a chunk as another Data.db stores it; see {@link DataWriter#writeStored}. */
    void addStored(ByteBuffer stored, int plainLengthBytes) throws IOException {
        data.writeStored(stored, plainLengthBytes);
    }

    /** See {@link DataWriter#beginLink}. */
    void beginLink(long position) {
        data.beginLink(position);
    }

    /** See {@link DataWriter#endLink()}. */
    void endLink() {
        data.endLink();
    }

    void addPartition(PartitionKey key, long position, Bytes blocks) throws IOException {
        summary.add(key.bytes(), index.position());
        index.add(key, position, blocks);
        hashes.add(key.hash());
    }

    /** Adds the partition of an entry of another index, which is greater than those before, at another position. */
    void addPartition(EntryCursor entry, long position) throws IOException {
        summary.add(entry.key().view(), index.position());
        index.add(entry, position);
        hashes.add(entry.key().hash());
    }

    Bytes firstKey() {
        return summary.firstKey();
    }

    Bytes lastKey() {
        return summary.lastKey();
    }

    /**
     * Completes all files, makes them durable if they shall be, and gives them their names, the table of contents last.
     *
     * <p>If bytes were linked, Data.db lacks them.
     *
     * @param header the component HEADER
     * @param statsOfRatio gives the component STATS for the compression ratio that was reached
     */
    Finished finish(Bytes header, DoubleFunction<Stats> statsOfRatio) throws IOException {
        DataWriter.Written written = data.finish();
        index.finish();
        summary.write(temporary(Component.SUMMARY));
        if (options.filterChance() < 1) {
            hashes.toFilter(options.filterChance()).write(temporary(Component.FILTER));
        }
        var statistics = new Statistics(
                descriptor.version(),
                new Statistics.Validation(Statistics.MURMUR3, options.filterChance()),
                Optional.empty(), // the sketch of the keys, which readers do without
                statsOfRatio.apply(written.compressionRatio()),
                header);
        ComponentOutput.write(temporary(Component.STATISTICS), statistics.encode());
        Set<Component> components = EnumSet.of(Component.TOC);
        components.addAll(temporaries());
        Toc.of(components).write(temporary(Component.TOC));
        if (isDurable) {
            for (Component component : components) {
                ComponentOutput.sync(temporary(component));
            }
            ComponentOutput.sync(directory);
        }
        for (Component component : components) { // in the order of the enum: TOC last
            Files.move(
                    temporary(component),
                    directory.resolve(descriptor.fileName(component)),
                    StandardCopyOption.ATOMIC_MOVE);
        }
        if (isDurable) {
            ComponentOutput.sync(directory);
        }
        isFinished = true;
        return new Finished(SSTable.open(directory, descriptor), written);
    }

    private Set<Component> temporaries() {
        Set<Component> present = EnumSet.copyOf(Component.ofSSTables());
        present.removeIf(component -> !Files.exists(temporary(component)));
        return present;
    }

    private Path temporary(Component component) {
        return directory.resolve(descriptor.fileName(component) + TEMPORARY);
    }

    @Override
    public void close() throws IOException {
        try (data) {
            index.close();
        }
        if (!isFinished) {
            for (Component component : Component.ofSSTables()) {
                Files.deleteIfExists(temporary(component));
                Files.deleteIfExists(directory.resolve(descriptor.fileName(component)));
            }
        }
    }
}
