package io.sluice.streaming.transfer;

import io.sluice.sstable.index.RangeSection;
import io.sluice.sstable.index.Section;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.progress.TransferMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Chooses the cheapest correct mode for an SSTable or a part of it, with a reason. Correct are: whole files if every
 * partition is requested; slices for formats that support them; rows always. The cheapest mode has the least estimated
 * CPU time of both ends together, computed from bytes and boundaries. The constants were measured on one machine
 * ({@code docs/modes.md}), so only the comparison of two modes is meaningful, not an absolute value. Stateless.
 */
public final class ModeChooser {
    /** Copies out of and into the page cache, and two checksums. */
    private static final double WHOLE_NANOS_PER_BYTE = 1.1;
    /** As for whole files, and another pass at the source for verification and checksums. */
    private static final double SLICE_NANOS_PER_BYTE = 1.5;
    /** Decoding and writing rows at the target, per uncompressed byte. */
    private static final double ROWS_NANOS_PER_BYTE = 3.3;
    /** Recompressing bytes that do not keep their offset within chunks, per uncompressed byte. */
    private static final double RECOMPRESS_NANOS_PER_BYTE = 2.0;
    /** Each new SSTable has nine files to create, sync and open. */
    private static final double SSTABLE_NANOS = 4e6;
    /** Both ends of a section: seeks in the index and in the data, a padding partition in its first chunk. */
    private static final double BOUNDARY_NANOS = 0.1e6;
    /** A slice is made by one thread; a longer one is divided among several threads and SSTables. */
    static final long LONG_SLICE_BYTES = 1L << 30;

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;

    private ModeChooser() {}

    /** The chosen mode. */
    public sealed interface Decision {
        /** Mode and reason, as sent to the receiver. */
        ModeChoice choice();

        /** Nothing is requested. */
        record Nothing() implements Decision {
            @Override
            public ModeChoice choice() {
                throw new IllegalStateException("nothing is sent");
            }
        }

        /** All files, or the rows of all sections. */
        record AsOne(ModeChoice choice) implements Decision {}

        /** A slice for each group of sections. */
        record Slices(ModeChoice choice, List<List<RangeSection>> groups) implements Decision {
            public Slices {
                groups = List.copyOf(groups);
            }
        }
    }

    /**
     * Decides.
     *
     * @param onlyRows why rows must be decoded; empty if they need not be
     */
    public static Decision decide(RequestedSections wanted, ModeSettings settings, Optional<String> onlyRows) {
        if (wanted.rangeSections().isEmpty()) {
            return new Decision.Nothing();
        }
        if (onlyRows.isPresent()) {
            return rows(onlyRows.get());
        }
        if (wanted.isAll()) {
            return settings.entireSSTables()
                    ? new Decision.AsOne(new ModeChoice(TransferMode.WHOLE, "all of its partitions are requested"))
                    : rows("all of its partitions are requested, but stream_entire_sstables is false");
        }
        String part = part(wanted);
        if (!settings.slices()) {
            return rows(part + " requested, and stream_slices is false");
        }
        List<List<RangeSection>> groups = groups(wanted.rangeSections());
        double slices = sliceNanos(wanted, groups);
        double rows = rowsNanos(wanted);
        String estimate = String.format(
                Locale.ROOT,
                "%s requested: about %s of CPU as %s, %s as rows",
                part,
                text(slices),
                groups.size() == 1 ? "a slice" : groups.size() + " slices",
                text(rows));
        return slices <= rows
                ? new Decision.Slices(new ModeChoice(TransferMode.SLICE, estimate), groups)
                : rows(estimate);
    }

    /** Estimated nanoseconds of CPU of both ends; comparable for decisions on the same SSTable. */
    public static double estimateNanos(RequestedSections wanted, Decision decision) {
        if (decision instanceof Decision.Slices slices) {
            return sliceNanos(wanted, slices.groups());
        }
        if (decision instanceof Decision.AsOne asOne) {
            return asOne.choice().mode() == TransferMode.WHOLE
                    ? SSTABLE_NANOS + WHOLE_NANOS_PER_BYTE * wanted.bytesOnDisk()
                    : rowsNanos(wanted);
        }
        return 0;
    }

    private static String text(double nanos) {
        return nanos < NANOS_PER_SECOND
                ? String.format(Locale.ROOT, "%.1f ms", nanos / NANOS_PER_MILLI)
                : String.format(Locale.ROOT, "%.1f s", nanos / NANOS_PER_SECOND);
    }

    private static Decision rows(String reason) {
        return new Decision.AsOne(new ModeChoice(TransferMode.ROWS, reason));
    }

    private static String part(RequestedSections wanted) {
        double percent = 100.0 * wanted.wantedBytes() / wanted.dataLengthBytes();
        int sections = wanted.rangeSections().size();
        return String.format(
                Locale.ROOT,
                "%.1f %% of it, in %s, is",
                percent,
                sections == 1 ? "one section" : sections + " sections");
    }

    /**
     * Groups sections into slices: one slice for all sections means fewer files here, and fewer SSTables to read and
     * compact at the receiver. Only long slices are divided, to prepare them in parallel.
     */
    private static List<List<RangeSection>> groups(List<RangeSection> sections) {
        List<List<RangeSection>> groups = new ArrayList<>();
        List<RangeSection> group = new ArrayList<>();
        long bytes = 0;
        for (RangeSection section : sections) {
            if (bytes >= LONG_SLICE_BYTES) {
                groups.add(List.copyOf(group));
                group.clear();
                bytes = 0;
            }
            group.add(section);
            bytes += section.section().lengthBytes();
        }
        groups.add(List.copyOf(group));
        return groups;
    }

    private static double sliceNanos(RequestedSections wanted, List<List<RangeSection>> groups) {
        double nanos = groups.size() * SSTABLE_NANOS
                + SLICE_NANOS_PER_BYTE * wanted.storedPerByte() * wanted.wantedBytes()
                + BOUNDARY_NANOS * wanted.rangeSections().size();
        if (wanted.chunkLengthBytes().isPresent()) {
            long chunk = wanted.chunkLengthBytes().get();
            for (RangeSection section : wanted.rangeSections()) {
                nanos += RECOMPRESS_NANOS_PER_BYTE * recompressed(section.section(), chunk);
            }
        }
        return nanos;
    }

    /**
     * The bytes that are recompressed if a padding partition replaces the preceding bytes: the two chunks at the ends.
     */
    private static long recompressed(Section section, long chunkLengthBytes) {
        return Math.min(section.lengthBytes(), 2 * chunkLengthBytes);
    }

    private static double rowsNanos(RequestedSections wanted) {
        long chunk = wanted.chunkLengthBytes().orElse(0);
        long neighbours = chunk * wanted.rangeSections().size();
        return SSTABLE_NANOS
                + BOUNDARY_NANOS * wanted.rangeSections().size()
                + ROWS_NANOS_PER_BYTE * wanted.wantedBytes()
                + WHOLE_NANOS_PER_BYTE * neighbours * wanted.storedPerByte();
    }
}
