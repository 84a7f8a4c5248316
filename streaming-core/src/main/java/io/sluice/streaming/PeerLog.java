package io.sluice.streaming;

import io.sluice.sstable.component.Printable;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Writes log lines that a peer can cause at will: of one kind about one peer {@value #LINES} a minute, of all kinds
 * about all peers {@value #ALL_LINES}; those beyond are counted, and the count is written with the next one. What the
 * peer says is escaped. A stack trace comes with the first line of a minute alone. Whoever sets the level to DEBUG gets
 * every line. Thread-safe.
 */
public final class PeerLog {
    /** Of one kind, about one peer, in a minute. */
    public static final int LINES = 10;
    /** Of all kinds, about all peers, in a minute: about 100 KiB. */
    public static final int ALL_LINES = 300;

    private static final int MAX_WINDOWS = 1000;
    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final LongSupplier nanoTime;

    private final Map<Kind, Window> windows = new LinkedHashMap<>();

    private final Window all = new Window();

    /** @param nanoTime as {@link System#nanoTime} */
    public PeerLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Lines that only differ in what is filled in, about one peer. */
    private record Kind(String peer, String format) {}

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

    private record Verdict(boolean isWritten, boolean isFirst, int leftOut, int leftOutInAll) {}

    /**
     * Writes a line, or counts it.
     *
     * @param peer its address, without a port: a peer has many
     * @param format constant, as of slf4j; a {@link Throwable} may be the last of {@code arguments}
     */
    public void write(Logger logger, Level level, String peer, String format, Object... arguments) {
        if (logger.isDebugEnabled()) {
            logger.atLevel(level).log(format, harmless(arguments, true));
            return;
        }
        Verdict verdict = judge(new Kind(peer, format), nanoTime.getAsLong());
        if (verdict.leftOutInAll() > 0) {
            logger.atLevel(level).log("{} more lines about peers were not written", verdict.leftOutInAll());
        }
        if (verdict.leftOut() > 0) {
            logger.atLevel(level)
                    .log("{}: {} more lines were not written like this one:", Printable.text(peer), verdict.leftOut());
        }
        if (verdict.isWritten()) {
            logger.atLevel(level).log(format, harmless(arguments, verdict.isFirst()));
        }
    }

    private synchronized Verdict judge(Kind kind, long now) {
        int leftOutInAll = all.next(now);
        Window window = windows.get(kind);
        if (window == null) {
            if (windows.size() >= MAX_WINDOWS) {
                windows.remove(windows.keySet().iterator().next());
            }
            window = new Window();
            windows.put(kind, window);
        }
        int leftOut = window.next(now);
        if (all.written >= ALL_LINES) {
            all.leftOut++;
            return new Verdict(false, false, 0, leftOutInAll);
        }
        if (window.written >= LINES) {
            window.leftOut++;
            return new Verdict(false, false, 0, leftOutInAll);
        }
        all.written++;
        window.written++;
        return new Verdict(true, window.written == 1, leftOut, leftOutInAll);
    }

    private static Object[] harmless(Object[] arguments, boolean withTrace) {
        boolean hasTrace = arguments.length > 0 && arguments[arguments.length - 1] instanceof Throwable;
        Object[] texts = Arrays.copyOf(arguments, hasTrace && !withTrace ? arguments.length - 1 : arguments.length);
        for (int i = 0; i < texts.length; i++) {
            if (!(texts[i] instanceof Throwable && hasTrace)) {
                texts[i] = Printable.text(String.valueOf(texts[i]));
            }
        }
        return texts;
    }
}
