package io.sluice.sstable;

import io.sluice.sstable.VerificationReport.Problem;
import io.sluice.sstable.component.AttachedFile;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Printable;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.SSTableFormat;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.compression.IncrementalChecksums;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.PageAligned;
import io.sluice.sstable.index.IndexEntry;
import io.sluice.sstable.index.IndexReader;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.index.SummaryReader;
import io.sluice.sstable.index.TrieFooter;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.metadata.BloomFilter;
import io.sluice.sstable.metadata.Digest;
import io.sluice.sstable.metadata.Statistics;
import io.sluice.sstable.metadata.Toc;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Verifies a whole SSTable: every checksum, and the consistency of its components. Does not decode rows, so it does not
 * check block indexes, which have no checksum: {@link io.sluice.sstable.data.BlockIndexCheck} does. Not thread-safe:
 * confined to one call. Long because each component has its check.
 */
public final class Verification {
    private static final int MAX_PROBLEMS = 100;
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int KEY_WINDOW_BYTES = 1 << 9;

    /** An entry of the index has some 30 bytes: from here on partitions are longer than a few windows. */
    private static final long SPARSE_DATA_PER_INDEX = 64;

    private final SSTable sstable;
    private final Optional<IncrementalChecksums> passed;
    private final LongConsumer progress;
    private final List<Problem> problems = new ArrayList<>();

    private Verification(SSTable sstable, Optional<IncrementalChecksums> passed, LongConsumer progress) {
        this.sstable = sstable;
        this.passed = passed;
        this.progress = progress;
    }

    /** A part of the verification; its exception is a problem of the component. */
    private interface Check {
        void run() throws IOException;
    }

    /**
     * Verifies the SSTable of this name, which may be too corrupt to be opened.
     *
     * @throws IOException if the disk fails; problems of the content are in the report
     * @throws SSTableException {@linkplain SSTableException#isUnsupported unsupported} if it has another partitioner,
     *     which is no corruption
     */
    public static VerificationReport verify(Path directory, Descriptor descriptor) throws IOException {
        return verify(directory, descriptor, Optional.empty(), bytes -> {});
    }

    /**
     * The same, watched.
     *
     * @param progress receives how many bytes were read since its last call, {@link #bytesToRead} in all if there is no
     *     damage; what it throws ends the check
     * @throws IOException if the disk fails; whatever the bytes are is in the report
     */
    public static VerificationReport verify(Path directory, Descriptor descriptor, LongConsumer progress)
            throws IOException {
        return verify(directory, descriptor, Optional.empty(), progress);
    }

    /** How many bytes a check of {@code sstable} reads of Data.db. */
    public static long bytesToRead(SSTable sstable) {
        return sstable.dataLengthBytes()
                + (sstable.components().contains(Component.DIGEST) ? sstable.lengthBytes(Component.DATA) : 0);
    }

    /**
     * Verifies an SSTable that has just been written.
     *
     * @param passed checksums of Data.db that were computed while it was written: data that they cover is not read
     * @throws IOException if the disk fails; problems of the content are in the report
     */
    public static VerificationReport verify(
            Path directory, Descriptor descriptor, Optional<IncrementalChecksums> passed) throws IOException {
        return verify(directory, descriptor, passed, bytes -> {});
    }

    private static VerificationReport verify(
            Path directory, Descriptor descriptor, Optional<IncrementalChecksums> passed, LongConsumer progress)
            throws IOException {
        try {
            return verify(SSTable.open(directory, descriptor), passed, progress);
        } catch (SSTableException cannotOpen) {
            if (cannotOpen.isUnsupported()) {
                throw cannotOpen;
            }
            Path name = directory.resolve(descriptor.toString());
            return new VerificationReport(name.toString(), List.of(Problem.of(Component.STATISTICS, cannotOpen)));
        }
    }

    /**
     * Verifies an SSTable; reads everything that has a checksum, Data.db twice if it has a digest besides the checksums
     * of its pieces.
     *
     * @throws IOException if the disk fails; problems of the content are in the report
     */
    public static VerificationReport verify(SSTable sstable) throws IOException {
        return verify(sstable, Optional.empty(), bytes -> {});
    }

    private static VerificationReport verify(
            SSTable sstable, Optional<IncrementalChecksums> passed, LongConsumer progress) throws IOException {
        var verification = new Verification(sstable, passed, progress);
        verification.run();
        return new VerificationReport(sstable.toString(), verification.problems);
    }

    private void run() throws IOException {
        check(Component.STATISTICS, this::statistics);
        check(Component.TOC, this::contents);
        check(Component.DIGEST, this::digest);
        check(Component.DATA, this::dataAndIndex);
        check(Component.SUMMARY, this::summary);
    }

    private void check(Component component, Check check) throws IOException {
        try {
            check.run();
        } catch (SSTableException malformed) {
            report(Problem.of(component, malformed));
        }
    }

    private void report(Problem problem) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(problem);
        } else if (problems.size() == MAX_PROBLEMS) {
            String more = sstable + ": ... and more (expected: none; the first " + MAX_PROBLEMS + " are listed)";
            problems.add(new Problem(problem.component(), OptionalLong.empty(), more));
        }
    }

    private void report(Component component, String problem) {
        report(new Problem(component, OptionalLong.empty(), sstable.path(component) + ": " + problem));
    }

    private boolean has(Component component) {
        return sstable.components().contains(component);
    }

    private Component indexComponent() {
        return isBig() ? Component.INDEX : Component.PARTITIONS;
    }

    private boolean isBig() {
        return sstable.descriptor().version().format() == SSTableFormat.BIG;
    }

    private void statistics() throws IOException {
        Statistics now = Statistics.read(
                sstable.path(Component.STATISTICS), sstable.descriptor().version());
        if (!now.header().equals(sstable.statistics().header())) {
            report(Component.STATISTICS, "serialization header (expected: the one it had when opened)");
        }
    }

    private void contents() throws IOException {
        if (!has(Component.TOC)) {
            return;
        }
        Toc toc = Toc.read(sstable.path(Component.TOC));
        for (String name : toc.names()) {
            if (Component.ofFileName(name).isEmpty() && !AttachedFile.isName(name)) { // perhaps no path at all
                report(Component.TOC, "lists '" + Printable.text(name) + "' (expected: names of files)");
            } else if (!Files.exists(sstable.directory().resolve(sstable.descriptor() + "-" + name))) {
                report(Component.TOC, "lists " + name + " (expected: a file of that name)");
            }
        }
        if (toc.listsOnlyIndexes()) {
            return; // what 4.0 leaves of an SSTable with SASI indexes; it goes by the files
        }
        for (Component component : sstable.components()) {
            if (!toc.lists(component)) {
                report(Component.TOC, "does not list " + component.fileName() + " (expected: all files)");
            }
        }
    }

    private void digest() throws IOException {
        if (!has(Component.DIGEST)) {
            return;
        }
        Digest expected = Digest.read(sstable.path(Component.DIGEST));
        long crc = passed.isPresent() ? passed.get().getValue() : sumData();
        if (crc != expected.crc()) {
            report(
                    Component.DATA,
                    "CRC-32 of the file is " + Long.toHexString(crc) + " (expected: " + Long.toHexString(expected.crc())
                            + " by Digest.crc32)");
        }
    }

    private long sumData() throws IOException {
        var crc = new CRC32();
        try (DataReader stored = DataReader.plain(sstable.path(Component.DATA))) {
            var buffer = PageAligned.allocate(BUFFER_BYTES);
            for (long at = 0; at < stored.lengthBytes(); at += buffer.limit()) {
                buffer.clear().limit((int) Math.min(BUFFER_BYTES, stored.lengthBytes() - at));
                stored.read(at, buffer);
                crc.update(buffer.flip());
                progress.accept(buffer.limit());
            }
        }
        return crc.getValue();
    }

    /** Checks in one pass each piece of the content, and the keys of the index in it. */
    private void dataAndIndex() throws IOException {
        // If a piece is wrong, it is read again to find out which one.
        boolean isKnown = passed.isPresent()
                && !sstable.isCompressed()
                && has(Component.CRC)
                && passed.get().lengthBytes() == sstable.dataLengthBytes()
                && passed.get().agreeWith(sstable.path(Component.CRC));
        try (DataReader content = isKnown ? DataReader.plain(sstable.path(Component.DATA)) : sstable.openData()) {
            var scan = new Scan(content);
            check(indexComponent(), () -> partitions(scan));
            scan.to(content.lengthBytes());
        }
    }

    /** Reads the content piece by piece, so that each piece is checked once. */
    private final class Scan {
        final DataReader content;
        private final ByteBuffer oneByte = ByteBuffer.allocate(1);
        private long scannedBytes;
        private boolean isSound = problems.stream().noneMatch(problem -> problem.component() == Component.DATA);

        Scan(DataReader content) {
            this.content = content;
        }

        /** Whether the checksums match for all content until {@code position}, and what was read beyond. */
        boolean isSoundTo(long position) throws IOException {
            to(position);
            return isSound;
        }

        void to(long position) throws IOException {
            long end = Math.min(position, content.lengthBytes());
            for (; scannedBytes < end; scannedBytes += content.pieceLengthBytes()) {
                try {
                    content.read(scannedBytes, oneByte.clear());
                } catch (SSTableException damaged) {
                    report(damaged);
                }
                progress.accept(Math.min(content.pieceLengthBytes(), content.lengthBytes() - scannedBytes));
            }
        }

        void report(SSTableException damaged) {
            isSound = false;
            Problem found = Problem.of(Component.DATA, damaged);
            if (!problems.contains(found)) {
                Verification.this.report(found);
            }
        }
    }

    private void partitions(Scan scan) throws IOException {
        @Nullable BloomFilter filter = has(Component.FILTER) ? readFilter() : null;
        @Nullable PartitionKey first = null;
        @Nullable PartitionKey last = null;
        long count = 0;
        try (PartitionCursor cursor = sstable.partitions();
                ComponentInput keys = ComponentInput.over(
                        scan.content.file(), scan.content, scan.content.lengthBytes(), keyWindowBytes())) {
            for (Optional<PartitionEntry> next = cursor.next(); next.isPresent(); next = cursor.next()) {
                PartitionEntry entry = next.get();
                last = entry.key();
                if (first == null) {
                    first = last;
                    requireStart(entry);
                }
                if (filter != null && !filter.mayContain(last.hash())) {
                    report(Component.FILTER, "lacks key " + last + " (expected: every key of the index)");
                }
                requireKeyInData(entry, keys, scan);
                count++;
            }
        }
        requireEnds(first, last);
        if (!isBig()) {
            requireCount(count);
        }
    }

    /** The window for keys: one window holds many keys of small partitions, whose index is long. */
    private int keyWindowBytes() {
        long index = Math.max(1, sstable.lengthBytes(indexComponent()));
        return sstable.dataLengthBytes() / index < SPARSE_DATA_PER_INDEX ? BUFFER_BYTES : KEY_WINDOW_BYTES;
    }

    private @Nullable BloomFilter readFilter() throws IOException {
        try {
            return BloomFilter.read(
                    sstable.path(Component.FILTER), sstable.descriptor().version());
        } catch (SSTableException malformed) {
            report(Problem.of(Component.FILTER, malformed));
            return null;
        }
    }

    private void requireStart(PartitionEntry entry) {
        if (entry.position() != 0) {
            report(indexComponent(), "the first partition lies at " + entry.position() + " (expected: 0)");
        }
    }

    private void requireKeyInData(PartitionEntry entry, ComponentInput keys, Scan scan) throws IOException {
        if (!scan.isSoundTo(entry.position() + 1)) {
            return;
        }
        Bytes key;
        try {
            keys.seek(entry.position());
            key = keys.readShortBytes();
        } catch (SSTableException damaged) {
            scan.report(damaged);
            return;
        }
        if (!key.equals(entry.key().bytes())) {
            report(
                    indexComponent(),
                    "key " + entry.key() + ", but Data.db has " + key + " at uncompressed position " + entry.position()
                            + " (expected: the same)");
        }
    }

    private void requireEnds(@Nullable PartitionKey first, @Nullable PartitionKey last) {
        boolean isAsSaid =
                first != null && last != null && first.equals(sstable.firstKey()) && last.equals(sstable.lastKey());
        if (!isAsSaid) {
            report(
                    indexComponent(),
                    "keys from " + first + " to " + last + " (expected: " + sstable.firstKey() + " to "
                            + sstable.lastKey() + ", as the other components say)");
        }
    }

    private void requireCount(long count) throws IOException {
        long expected = TrieFooter.read(sstable.path(Component.PARTITIONS)).keyCount();
        if (count != expected) {
            report(Component.PARTITIONS, count + " keys (expected: " + expected + " by its footer)");
        }
    }

    private void summary() throws IOException {
        if (!has(Component.SUMMARY) || !isBig()) {
            return;
        }
        try (SummaryReader summary = SummaryReader.open(sstable.path(Component.SUMMARY));
                IndexReader index = IndexReader.open(sstable.path(Component.INDEX))) {
            if (!summary.firstKey().equals(sstable.firstKey())
                    || !summary.lastKey().equals(sstable.lastKey())) {
                report(
                        Component.SUMMARY,
                        "keys from " + summary.firstKey() + " to " + summary.lastKey() + " (expected: "
                                + sstable.firstKey() + " to " + sstable.lastKey() + ")");
            }
            for (int i = 0; i < summary.header().samples(); i++) {
                SummaryReader.Sample sample = summary.sample(i);
                index.seek(sample.indexPosition());
                if (!index.next().map(IndexEntry::key).equals(Optional.of(sample.key()))) {
                    report(
                            Component.SUMMARY,
                            "sample " + i + " is " + sample.key() + " at " + sample.indexPosition()
                                    + " of Index.db (expected: the entry there)");
                }
            }
        }
    }
}
