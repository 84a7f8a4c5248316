package io.sluice.streaming.log;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits the log lines that peers can cause: per minute for one kind of line about one peer, and in total; counts
 * suppressed lines. Pure: the time is an argument. Thread-safe; remembers at most 1,000 kinds, and adds the count of a
 * forgotten one to the total.
 */
public final class LineLimit {
    private static final int MAX_WINDOWS = 1000;
    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final int ofAPeer;
    private final int inAll;
    private final Map<Kind, Window> windows = new LinkedHashMap<>();
    private final Window all = new Window();

    /**
     * Creates a limit.
     *
     * @param ofAPeer lines of one kind about one peer per minute, at least 1
     * @param inAll lines per minute in total, at least 1
     */
    public LineLimit(int ofAPeer, int inAll) {
        this.ofAPeer = ofAPeer;
        this.inAll = inAll;
    }

    /** Lines with the same format about one peer. */
    private record Kind(String peer, String what) {}

    /** Counts of written and suppressed lines within a minute. Confined to the lock of its owner. */
    private static final class Window {
        private long began;
        private int written;
        private int leftOut;

        /** Begins a new minute if the last one is over; returns the number of lines suppressed in it. */
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
     * Whether a line is written.
     *
     * @param isFirst whether it is the first of its kind in a minute
     * @param leftOut suppressed lines of its kind since the last written one, without those beyond the total
     * @param leftOutInAll suppressed lines that were beyond the total or of a kind that is forgotten, if this is the
     *     first line after that minute; no line is in both counts
     */
    public record LineDecision(boolean isWritten, boolean isFirst, int leftOut, int leftOutInAll) {}

    /**
     * Counts one more line.
     *
     * @param what a constant SLF4J format, which identifies the kind
     */
    public synchronized LineDecision decide(String peer, String what, long nowNanos) {
        int leftOutInAll = all.next(nowNanos);
        if (all.written >= inAll) { // before its window begins anew, whose count would be lost
            all.leftOut++;
            return new LineDecision(false, false, 0, leftOutInAll);
        }
        Window window = window(new Kind(peer, what));
        int leftOut = window.next(nowNanos);
        if (window.written >= ofAPeer) {
            window.leftOut++;
            return new LineDecision(false, false, 0, leftOutInAll);
        }
        all.written++;
        window.written++;
        return new LineDecision(true, window.written == 1, leftOut, leftOutInAll);
    }

    private Window window(Kind kind) {
        Window known = windows.get(kind);
        if (known != null) {
            return known;
        }
        if (windows.size() >= MAX_WINDOWS) {
            Iterator<Window> oldest = windows.values().iterator();
            all.leftOut += oldest.next().leftOut;
            oldest.remove();
        }
        Window window = new Window();
        windows.put(kind, window);
        return window;
    }
}
