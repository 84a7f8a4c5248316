package io.sluice.cassandra.receive;

import io.sluice.cassandra.net.IncomingLink;
import io.sluice.cassandra.wire.FileHeader;
import io.sluice.cassandra.wire.PartCompression;
import io.sluice.sstable.Coverage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.Verification;
import io.sluice.sstable.VerificationReport;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.compression.IncrementalChecksums;
import io.sluice.sstable.data.ForeignRows;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.OwnerOnly;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.metadata.Toc;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.zip.CRC32;
import java.util.zip.Checksum;

/**
 * The received SSTables of one table, in a folder that nobody else uses. Any thread may call {@link #receive}, one for
 * each connection; the other methods belong to the owner.
 */
final class ReceivedTable {
    private static final int MAX_PIECE_BYTES = 1 << 20; // a node sends 64 KiB

    /**
     * A growing file is synced whenever this many more bytes were received, so that little is left to sync at the end.
     */
    private static final long SYNC_BYTES = 32 << 20;

    /** Components with checksums: any of them covers all of Data.db. */
    private static final Set<Component> SUMS = EnumSet.of(Component.DIGEST, Component.CRC, Component.COMPRESSION_INFO);

    private final Path folder;
    private final TokenRanges ranges;
    private final AtomicInteger ids = new AtomicInteger();
    private final ExecutorService checkers;
    private final ExecutorService syncer;
    private final List<Future<ReceivedFile>> checks = new ArrayList<>();
    private final List<Future<?>> syncs = new ArrayList<>();

    /**
     * A received SSTable.
     *
     * @param isSummed whether checksums of its data were received, and all of them match; without checksums it is only
     *     known that the SSTable can be opened, and that its components are consistent
     */
    record ReceivedFile(Descriptor descriptor, boolean isSummed) {}

    /**
     * @param folder that exists and is empty
     * @param ranges that are allowed
     * @param checkers verify each SSTable once it is received, while others are being received
     * @param syncer makes received bytes of a file durable, while the rest is being received
     */
    ReceivedTable(Path folder, TokenRanges ranges, ExecutorService checkers, ExecutorService syncer) {
        this.folder = folder;
        this.ranges = ranges;
        this.checkers = checkers;
        this.syncer = syncer;
    }

    /**
     * Receives what follows {@code header} on {@code link}; {@link #verify} checks it.
     *
     * @param onReceived receives the number of bytes since the last call; 0 while received rows are rewritten
     */
    void receive(FileHeader header, IncomingLink link, LongConsumer onReceived) throws IOException {
        Version version = Arrays.stream(Version.values())
                .filter(known -> known.letters().equals(header.version())
                        && known.format().fileNamePart().equals(header.format()))
                .findAny()
                .orElseThrow(() -> new StreamException(
                        ErrorCode.WRONG_PEER,
                        "an SSTable of version " + header.version() + " " + header.format()
                                + " (expected: nb, oa or da)"));
        if (header.whole().isPresent()) {
            whole(version, header.whole().get(), link, onReceived);
        } else if (header.compression().isPresent()) {
            chunks(version, header, header.compression().get(), link, onReceived);
        } else {
            blocks(version, header, link, onReceived);
        }
    }

    private void whole(Version version, FileHeader.Whole header, IncomingLink link, LongConsumer onReceived)
            throws IOException {
        Descriptor descriptor = nextDescriptor(version);
        Set<Component> components = EnumSet.of(Component.TOC);
        Optional<IncrementalChecksums> dataSums = Optional.empty();
        for (FileHeader.Entry entry : header.manifest()) {
            Optional<Component> known = Component.ofFileName(entry.component());
            if (known.isEmpty() || !components.add(known.get())) {
                // Skips components of attached indexes: the node that receives the SSTable builds its own.
                skip(link, entry.lengthBytes(), onReceived);
                continue;
            }
            Path path = folder.resolve(descriptor.fileName(known.get()));
            IncrementalChecksums sums = new IncrementalChecksums();
            read(link, path, entry.lengthBytes(), sums, onReceived.andThen(syncing(path)));
            if (known.get() == Component.DATA) {
                dataSums = Optional.of(sums);
            }
        }
        ComponentOutput.write(
                folder.resolve(descriptor.fileName(Component.TOC)),
                Toc.of(components).encode());
        boolean isSummed = components.stream().anyMatch(SUMS::contains);
        check(new ReceivedFile(descriptor, isSummed), components, dataSums);
    }

    /** Reads piece by piece: whoever waits for progress must see it within a large file, too. */
    private static void read(IncomingLink link, Path path, long length, Checksum sum, LongConsumer onReceived)
            throws IOException {
        try (FileChannel file = create(path)) {
            for (long done = 0; done < length; ) {
                int count = link.transferTo(file, length - done, sum);
                onReceived.accept(count);
                done += count;
            }
        }
    }

    /**
     * Starts to make a file durable while it grows. A disk reports a failure only once: {@link #verify} must learn of
     * it.
     */
    private LongConsumer syncing(Path path) {
        AtomicLong behind = new AtomicLong();
        return bytes -> {
            if (behind.addAndGet(bytes) < SYNC_BYTES) {
                return;
            }
            behind.set(0);
            Future<?> sync = syncer.submit(() -> {
                force(path);
                return path;
            });
            synchronized (checks) {
                syncs.add(sync);
            }
        };
    }

    private static void force(Path path) throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            file.force(true);
        }
    }

    private static void skip(IncomingLink link, long length, LongConsumer onReceived) throws IOException {
        for (long left = length; left > 0; ) {
            int piece = (int) Math.min(MAX_PIECE_BYTES, left);
            link.input().readBytes(piece);
            left -= piece;
            onReceived.accept(piece); // whoever waits for progress must see it
        }
    }

    private Descriptor nextDescriptor(Version version) {
        return new Descriptor(version, new SSTableId.Sequence(ids.incrementAndGet()));
    }

    private static FileChannel create(Path file) throws IOException {
        return OwnerOnly.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    private Path partFile(Descriptor descriptor, String suffix) {
        return folder.resolve("part-" + descriptor.id() + suffix);
    }

    private void chunks(
            Version version, FileHeader header, PartCompression chunks, IncomingLink link, LongConsumer onReceived)
            throws IOException {
        Descriptor descriptor = nextDescriptor(version);
        Path data = partFile(descriptor, ".chunks");
        read(link, data, chunks.storedBytes(), new CRC32(), onReceived);
        Path info = partFile(descriptor, ".info");
        List<Section> sections = ChunkedPart.describe(chunks, header.sections(), data, info);
        WriterOptions options = WriterOptions.DEFAULTS.withCompression(chunks.parameters());
        var arrived = new ReceivedFile(descriptor, true); // each chunk has a checksum, which the reader verifies
        var slice = new ReceivedSlice(version, arrived, header, sections);
        rewrite(DataReader.compressed(data, info), slice, options, () -> onReceived.accept(0));
        Files.delete(data);
        Files.delete(info);
    }

    private void blocks(Version version, FileHeader header, IncomingLink link, LongConsumer onReceived)
            throws IOException {
        if (header.sections().isEmpty()) {
            throw new StreamException(ErrorCode.PROTOCOL, "a part of an SSTable without sections (expected: some)");
        }
        Descriptor descriptor = nextDescriptor(version);
        Path data = partFile(descriptor, ".plain");
        long length = header.sections().stream().mapToLong(Section::lengthBytes).sum();
        try (FileChannel file = create(data)) {
            PlainBlocks.copy(link.input(), length, file, onReceived);
        }
        // The sections are stored consecutively, and each is a run of whole partitions.
        var all = new ReceivedSlice(
                version, new ReceivedFile(descriptor, false), header, List.of(new Section(0, length)));
        rewrite(DataReader.plain(data), all, WriterOptions.DEFAULTS, () -> onReceived.accept(0));
        Files.delete(data);
    }

    /** Everything needed to read a received slice, and to rewrite it. */
    private record ReceivedSlice(Version version, ReceivedFile arrived, FileHeader header, List<Section> sections) {}

    /** Writes an SSTable from partitions without an index; closes {@code data}. */
    private void rewrite(DataReader data, ReceivedSlice part, WriterOptions options, Runnable onProgress)
            throws IOException {
        try (PartitionReader reader = new PartitionReader(
                        data,
                        part.version(),
                        SerializationHeader.parse(part.header().serializationHeader()),
                        part.sections());
                SSTableWriter writer =
                        SSTableWriter.create(folder, part.arrived().descriptor(), reader.header(), options)) {
            writer.appendAll(new ReportedRows(ForeignRows.of(reader, reader.header()), onProgress));
            writer.finish();
        }
        check(part.arrived(), Set.of(), Optional.empty()); // the writer made its files durable
    }

    private void check(ReceivedFile arrived, Set<Component> notDurable, Optional<IncrementalChecksums> dataSums) {
        Future<ReceivedFile> check = checkers.submit(() -> {
            for (Component component : notDurable) {
                force(folder.resolve(arrived.descriptor().fileName(component)));
            }
            requireSound(arrived.descriptor(), dataSums);
            return arrived;
        });
        synchronized (checks) {
            checks.add(check);
        }
    }

    private void requireSound(Descriptor descriptor, Optional<IncrementalChecksums> dataSums) throws IOException {
        VerificationReport report = Verification.verify(folder, descriptor, dataSums);
        if (!report.isClean()) {
            throw new StreamException(
                    ErrorCode.CORRUPT_IN_FLIGHT,
                    descriptor + " is damaged: " + report.problems().get(0).sentence()
                            + " (nothing was kept; send it again, and verify the table at its source)");
        }
        if (SSTable.open(folder, descriptor).coverage(ranges) != Coverage.WHOLE) {
            throw new StreamException(
                    ErrorCode.OUT_OF_RANGE, descriptor + " has partitions outside the requested ranges");
        }
    }

    /**
     * Waits until everything received is verified and durable.
     *
     * @return the received SSTables
     * @throws StreamException if an SSTable is damaged, or has partitions that were not requested
     */
    List<ReceivedFile> verify() throws IOException {
        List<Future<ReceivedFile>> all;
        List<Future<?>> begun;
        synchronized (checks) {
            all = List.copyOf(checks);
            begun = List.copyOf(syncs);
        }
        List<ReceivedFile> verified = new ArrayList<>();
        try {
            for (Future<?> sync : begun) {
                sync.get();
            }
            for (Future<ReceivedFile> check : all) {
                verified.add(check.get());
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException reason) {
                throw reason;
            }
            throw e.getCause() instanceof IOException reason ? reason : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while received SSTables were verified", e);
        }
        return verified;
    }
}
