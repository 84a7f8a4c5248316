package io.sluice.streaming.log;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How many lines a peer can have written: of one kind about one peer so many a minute, and so many of all kinds about
 * all peers; those beyond are counted. Pure: the time is an argument. Thread-safe; remembers 1,000 kinds at most.
 */
public final class LineLimit {
    private static final int MAX_WINDOWS = 1000;
    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final int ofAPeer;
    private final int inAll;
    private final Map<Kind, Window> windows = new LinkedHashMap<>();
    private final Window all = new Window();

    /**
     * Nothing was written yet.
     *
     * @param ofAPeer lines of one kind about one peer in a minute, at least 1
     * @param inAll lines in a minute, at least 1
     */
    public LineLimit(int ofAPeer, int inAll) {
        this.ofAPeer = ofAPeer;
        this.inAll = inAll;
    }

    /** Lines that only differ in what is filled in, about one peer. */
    private record Kind(String peer, String what) {}

    /** What was written and left out within a minute. Confined to the lock of its owner. */
    private static final class Window {
        private long began;
        private int written;
        private int leftOut;

        /** How many were left out in the last minute, if that is over now. */
        private int next(long now) {
            if (written > 0 && now - began < MINUTE_NANOS) {
                return 0;
            }
            int before = leftOut;
            began = now;
            written = 0;
            leftOut = 0;
            return before;
        }
    }

    /**
     * What becomes of a line.
     *
     * @param isFirst of its kind in a minute
     * @param leftOut of its kind, since the last one that was written
     * @param leftOutInAll of all kinds in the minute before, if this is the first line after it
     */
    public record LineDecision(boolean isWritten, boolean isFirst, int leftOut, int leftOutInAll) {}

    /**
     * Counts one more line.
     *
     * @param what constant, as of slf4j: lines of a kind have the same
     */
    public synchronized LineDecision decide(String peer, String what, long nowNanos) {
        int leftOutInAll = all.next(nowNanos);
        Window window = windows.get(new Kind(peer, what));
        if (window == null) {
            if (windows.size() >= MAX_WINDOWS) {
                windows.remove(windows.keySet().iterator().next());
            }
            window = new Window();
            windows.put(new Kind(peer, what), window);
        }
        int leftOut = window.next(nowNanos);
        if (all.written >= inAll) {
            all.leftOut++;
            return new LineDecision(false, false, 0, leftOutInAll);
        }
        if (window.written >= ofAPeer) {
            window.leftOut++;
            return new LineDecision(false, false, 0, leftOutInAll);
        }
        all.written++;
        window.written++;
        return new LineDecision(true, window.written == 1, leftOut, leftOutInAll);
    }
}
