package io.sluice.sstable.component;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The format versions that Sluice reads and writes, oldest first, and what distinguishes them. */
public enum Version {
    /** BIG, Cassandra 3.0.8 and 3.9. */
    MC(SSTableFormat.BIG),
    /** BIG, Cassandra 3.0.18 and 3.11.4. */
    MD(SSTableFormat.BIG),
    /** BIG, Cassandra 3.0.25 and 3.11.11. */
    ME(SSTableFormat.BIG),
    /** BIG, Cassandra 4.0 before its release. */
    NA(SSTableFormat.BIG),
    /** BIG, Cassandra 4.0 and 4.1, and 5.0 in its default compatibility mode. */
    NB(SSTableFormat.BIG),
    /** BIG, Cassandra 5.0. */
    OA(SSTableFormat.BIG),
    /** BTI, Cassandra 5.0. */
    DA(SSTableFormat.BTI);

    private final SSTableFormat format;
    private final String letters = name().toLowerCase(Locale.ROOT);

    Version(SSTableFormat format) {
        this.format = format;
    }

    public SSTableFormat format() {
        return format;
    }

    /** The two lower-case letters of file names. */
    public String letters() {
        return letters;
    }

    /** The letters of all versions, for messages: {@code mc, md, … or da}. */
    public static String all() {
        List<String> letters = Arrays.stream(values()).map(Version::letters).toList();
        int last = letters.size() - 1;
        return String.join(", ", letters.subList(0, last)) + " or " + letters.get(last);
    }

    /** Whether every part of Statistics.db is followed by its CRC-32. */
    public boolean hasStatisticsChecksums() {
        return compareTo(NA) >= 0;
    }

    /** Whether CompressionInfo.db has the length from which on a chunk is stored plain. */
    public boolean hasMaxCompressedLength() {
        return compareTo(NA) >= 0;
    }

    /** Whether the words of Filter.db are little-endian; older versions are big-endian. */
    public boolean hasLittleEndianFilter() {
        return compareTo(NA) >= 0;
    }

    /** Whether the statistics name a pending repair and transient replicas. */
    public boolean hasPendingRepair() {
        return compareTo(NA) >= 0;
    }

    /** Whether the statistics name the node that wrote the SSTable. */
    public boolean hasOriginatingHost() {
        return this == ME || compareTo(NB) >= 0;
    }

    /** Whether local deletion times are unsigned, follow the timestamp, and take one byte if there is no deletion. */
    public boolean hasUnsignedDeletionTimes() {
        return compareTo(OA) >= 0;
    }

    /** Whether the statistics have bounds of clusterings with their types, and the first and the last key. */
    public boolean hasBoundsInStatistics() {
        return compareTo(OA) >= 0;
    }

    /** Whether histograms of lengths have five more buckets, and drop times are whole seconds. */
    public boolean hasLongHistograms() {
        return compareTo(OA) >= 0;
    }
}
