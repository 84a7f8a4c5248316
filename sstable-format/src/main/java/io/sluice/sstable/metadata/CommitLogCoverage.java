package io.sluice.sstable.metadata;

import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The part of the commit log that the SSTable covers. Only meaningful on the node that wrote it. Immutable. */
public record CommitLogCoverage(Position lower, Position upper, List<Interval> intervals) {
    /** No coverage: for files of other nodes. */
    public static final CommitLogCoverage NONE = new CommitLogCoverage(Position.NONE, Position.NONE, List.of());

    private static final int INTERVAL_BYTES = 2 * (Long.BYTES + Integer.BYTES);

    /** A position in the commit log. */
    public record Position(long segment, int offset) {
        public static final Position NONE = new Position(-1, 0);

        static Position read(ComponentInput in) throws IOException {
            return new Position(in.readLong(), in.readInt());
        }

        void write(GrowingBuffer out) {
            out.putLong(segment).putInt(offset);
        }
    }

    /** A section of the commit log. */
    public record Interval(Position start, Position end) {}

    public CommitLogCoverage {
        intervals = List.copyOf(intervals);
    }

    static List<Interval> readIntervals(ComponentInput in) throws IOException {
        int count = in.readIntCount("commit log intervals", INTERVAL_BYTES);
        var intervals = new ArrayList<Interval>(count);
        for (int i = 0; i < count; i++) {
            intervals.add(new Interval(Position.read(in), Position.read(in)));
        }
        return intervals;
    }

    void writeIntervals(GrowingBuffer out) {
        out.putInt(intervals.size());
        for (Interval interval : intervals) {
            interval.start().write(out);
            interval.end().write(out);
        }
    }
}
