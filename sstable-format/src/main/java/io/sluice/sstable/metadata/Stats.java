package io.sluice.sstable.metadata;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;

/**
 * The component STATS: statistics of the whole content. Immutable.
 *
 * @param distributions estimated distributions of the content
 * @param commitLog which part of the commit log is covered
 * @param times bounds of times
 * @param placement level and repair state
 * @param content what the rows are
 */
public record Stats(
        Distributions distributions,
        CommitLogCoverage commitLog,
        TimeBounds times,
        CompactionState placement,
        Content content) {

    /** The compression ratio of a plain Data.db. */
    public static final double NOT_COMPRESSED = -1.0;

    /**
     * Distributions of the content.
     *
     * @param partitionLengths uncompressed bytes of each partition
     * @param cells of each partition
     * @param dropTimes when tombstones may be dropped
     * @param compressionRatio stored to uncompressed bytes, or {@link #NOT_COMPRESSED}
     */
    public record Distributions(
            Histogram partitionLengths, Histogram cells, DropTimes dropTimes, double compressionRatio) {}

    /**
     * Properties of the rows.
     *
     * @param clusterings that enclose all
     * @param hasLegacyCounterShards whether counters must not be copied as bytes
     * @param cells columns set, summed over rows
     * @param rows including static ones
     * @param keys from 5.0 on present, before that absent
     */
    public record Content(
            CoveredClusterings clusterings,
            boolean hasLegacyCounterShards,
            long cells,
            long rows,
            Optional<KeyCoverage> keys) {}

    /**
     * The partition keys.
     *
     * @param hasPartitionDeletions whether any partition is deleted as a whole
     * @param firstKey of the first partition, exactly
     * @param lastKey of the last partition, exactly
     * @param tokenSpaceCoverage share of the node's tokens, or NaN if the writer did not know
     */
    public record KeyCoverage(
            boolean hasPartitionDeletions, Bytes firstKey, Bytes lastKey, double tokenSpaceCoverage) {}

    /** A copy with another compaction state. */
    public Stats withPlacement(CompactionState other) {
        return new Stats(distributions, commitLog, times, other, content);
    }

    static Stats read(ComponentInput in, Version version) throws IOException {
        Histogram lengths = Histogram.read(in);
        Histogram cellCounts = Histogram.read(in);
        var upper = CommitLogCoverage.Position.read(in);
        TimeBounds times = TimeBounds.read(in, version);
        double ratio = in.readDouble();
        DropTimes dropTimes = DropTimes.read(in, version);
        int level = in.readInt();
        long repairedAt = in.readLong();
        CoveredClusterings clusterings = CoveredClusterings.read(in, version);
        boolean legacyShards = in.readBoolean();
        long cells = in.readLong();
        long rows = in.readLong();
        var lower = CommitLogCoverage.Position.read(in);
        var commitLog = new CommitLogCoverage(lower, upper, CommitLogCoverage.readIntervals(in));
        Optional<UUID> pendingRepair = version.hasPendingRepair() ? readOptionalUuid(in) : Optional.empty();
        boolean isTransient = version.hasPendingRepair() && in.readBoolean();
        Optional<UUID> host = version.hasOriginatingHost() ? readOptionalUuid(in) : Optional.empty();
        var placement = new CompactionState(level, repairedAt, pendingRepair, isTransient, host);
        Optional<KeyCoverage> keys = version.hasBoundsInStatistics() ? Optional.of(readKeys(in)) : Optional.empty();
        return new Stats(
                new Distributions(lengths, cellCounts, dropTimes, ratio),
                commitLog,
                times,
                placement,
                new Content(clusterings, legacyShards, cells, rows, keys));
    }

    Bytes encode(Version version) {
        boolean hasBounds = version.hasBoundsInStatistics();
        if (content.keys().isPresent() != hasBounds
                || content.clusterings() instanceof CoveredClusterings.Bounds != hasBounds) {
            throw new IllegalArgumentException("statistics of another version (expected: keys and bounds from 5.0 on)");
        }
        var out = new GrowingBuffer();
        distributions.partitionLengths().write(out);
        distributions.cells().write(out);
        commitLog.upper().write(out);
        times.write(out);
        putDouble(distributions.compressionRatio(), out);
        distributions.dropTimes().write(out, version);
        out.putInt(placement.level()).putLong(placement.repairedAtMillis());
        content.clusterings().write(out);
        putBoolean(content.hasLegacyCounterShards(), out);
        out.putLong(content.cells()).putLong(content.rows());
        commitLog.lower().write(out);
        commitLog.writeIntervals(out);
        if (version.hasPendingRepair()) {
            putOptionalUuid(placement.pendingRepair(), out);
            putBoolean(placement.isTransient(), out);
        }
        if (version.hasOriginatingHost()) {
            putOptionalUuid(placement.originatingHost(), out);
        }
        content.keys().ifPresent(keys -> {
            putBoolean(keys.hasPartitionDeletions(), out);
            out.putVIntBytes(keys.firstKey()).putVIntBytes(keys.lastKey());
            putDouble(keys.tokenSpaceCoverage(), out);
        });
        return out.toBytes();
    }

    private static KeyCoverage readKeys(ComponentInput in) throws IOException {
        return new KeyCoverage(in.readBoolean(), in.readVIntBytes(), in.readVIntBytes(), in.readDouble());
    }

    private static Optional<UUID> readOptionalUuid(ComponentInput in) throws IOException {
        return in.readBoolean() ? Optional.of(in.readUuid()) : Optional.empty();
    }

    private static void putOptionalUuid(Optional<UUID> uuid, GrowingBuffer out) {
        putBoolean(uuid.isPresent(), out);
        uuid.ifPresent(id -> out.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()));
    }

    private static void putBoolean(boolean value, GrowingBuffer out) {
        out.putByte(value ? 1 : 0);
    }

    private static void putDouble(double value, GrowingBuffer out) {
        out.putLong(Double.doubleToRawLongBits(value));
    }
}
