package io.sluice.sstable.metadata;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * An estimate of the number of tombstones and expiring data by the time from which they may be dropped. Immutable.
 *
 * @param maxBins the writer's maximum number of bins
 * @param bins by second, ascending
 */
public record DropTimes(int maxBins, List<Bin> bins) {
    /** The default of writers. */
    static final int DEFAULT_MAX_BINS = 100;

    /** Nothing is ever dropped. */
    public static final DropTimes NONE = new DropTimes(DEFAULT_MAX_BINS, List.of());

    private static final int OLD_BIN_BYTES = Double.BYTES + Long.BYTES;
    private static final int BIN_BYTES = Long.BYTES + Integer.BYTES;

    /**
     * The number of tombstones and expiring data that may be dropped from one time on.
     *
     * @param second since 1970; whole from 5.0 on
     * @param count below 2^31 from 5.0 on
     */
    public record Bin(double second, long count) {}

    public DropTimes {
        bins = List.copyOf(bins);
    }

    /** An estimate for a part of the data, with {@code share} from 0 to 1; a bin that is not empty stays so. */
    public DropTimes scaled(double share) {
        return new DropTimes(
                maxBins,
                bins.stream()
                        .map(bin -> new Bin(
                                bin.second(), bin.count() == 0 ? 0 : Math.max(1, Math.round(bin.count() * share))))
                        .toList());
    }

    static DropTimes read(ComponentInput in, Version version) throws IOException {
        int maxBins = in.readInt();
        int count = in.readIntCount("drop times", version.hasLongHistograms() ? BIN_BYTES : OLD_BIN_BYTES);
        var bins = new ArrayList<Bin>(count);
        for (int i = 0; i < count; i++) {
            bins.add(
                    version.hasLongHistograms()
                            ? new Bin(in.readLong(), in.readInt())
                            : new Bin(in.readDouble(), in.readLong()));
        }
        return new DropTimes(maxBins, bins);
    }

    void write(GrowingBuffer out, Version version) {
        out.putInt(maxBins).putInt(bins.size());
        for (Bin bin : bins) {
            if (version.hasLongHistograms()) {
                out.putLong((long) bin.second()).putInt((int) Math.min(Integer.MAX_VALUE, bin.count()));
            } else {
                out.putLong(Double.doubleToRawLongBits(bin.second())).putLong(bin.count());
            }
        }
    }
}
