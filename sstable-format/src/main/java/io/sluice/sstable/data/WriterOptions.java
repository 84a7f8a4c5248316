package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.index.SummaryReader;
import io.sluice.sstable.metadata.CompactionState;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The table settings for a new SSTable. Immutable. */
public final class WriterOptions {
    /** Not compressed, filter chance 0.01, every 128th key in the summary. */
    public static final WriterOptions DEFAULTS = new WriterOptions(null, 0.01, 128, CompactionState.NEW);

    private final @Nullable CompressionParameters compression;
    private final double filterChance;
    private final int minIndexInterval;
    private final CompactionState placement;

    private WriterOptions(
            @Nullable CompressionParameters compression,
            double filterChance,
            int minIndexInterval,
            CompactionState placement) {
        if (!(filterChance > 0 && filterChance <= 1)) {
            throw new IllegalArgumentException("filter chance: " + filterChance + " (expected: above 0, at most 1)");
        }
        if (minIndexInterval < 1) {
            throw new IllegalArgumentException("index interval: " + minIndexInterval + " (expected: at least 1)");
        }
        this.compression = compression;
        this.filterChance = filterChance;
        this.minIndexInterval = minIndexInterval;
        this.placement = placement;
    }

    /** The options, level and repair state of {@code sstable}: an SSTable should have the settings of its table. */
    public static WriterOptions like(SSTable sstable) throws IOException {
        WriterOptions options = DEFAULTS.withFilterChance(
                        sstable.statistics().validation().filterChance())
                .withPlacement(sstable.statistics().stats().placement().ofNoHost());
        Optional<SummaryReader> summary = SummaryReader.openIfUsable(sstable.path(Component.SUMMARY));
        if (summary.isPresent()) {
            try (SummaryReader open = summary.get()) {
                options = options.withMinIndexInterval(open.header().interval());
            }
        }
        return sstable.compression().isPresent()
                ? options.withCompression(sstable.compression().get().parameters())
                : options;
    }

    /** A copy with this compression of Data.db. Default: not compressed. */
    public WriterOptions withCompression(CompressionParameters parameters) {
        return new WriterOptions(parameters, filterChance, minIndexInterval, placement);
    }

    /** A copy without compression. */
    public WriterOptions withoutCompression() {
        return new WriterOptions(null, filterChance, minIndexInterval, placement);
    }

    /** False-positive chance of the filter, 0.0000671 to 1; at 1 there is no filter. Default: 0.01. */
    public WriterOptions withFilterChance(double chance) {
        return new WriterOptions(compression, chance, minIndexInterval, placement);
    }

    /** The sampling interval of the summary in keys, at least 1; must be the table's. Default: 128. */
    public WriterOptions withMinIndexInterval(int keys) {
        return new WriterOptions(compression, filterChance, keys, placement);
    }

    /** Level and repair state. Default: {@link CompactionState#NEW}. */
    public WriterOptions withPlacement(CompactionState state) {
        return new WriterOptions(compression, filterChance, minIndexInterval, state);
    }

    public Optional<CompressionParameters> compression() {
        return Optional.ofNullable(compression);
    }

    public double filterChance() {
        return filterChance;
    }

    public int minIndexInterval() {
        return minIndexInterval;
    }

    public CompactionState placement() {
        return placement;
    }
}
