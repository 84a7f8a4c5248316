package io.sluice.streaming.log;

import io.sluice.sstable.component.Printable;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Writes log lines that a peer can cause without limit: per minute at most {@value #LINES} of one kind about one peer,
 * and {@value #ALL_LINES} in total; suppressed lines are counted, and the next line reports the count. Text from the
 * peer is escaped. Only the first line of a kind in a minute has a stack trace. At level DEBUG every line is written.
 * Thread-safe.
 */
public final class PeerLog {
    /** Per kind, peer and minute. */
    static final int LINES = 10;
    /** Per minute in total: about 100 KiB. */
    static final int ALL_LINES = 300;

    private final LongSupplier nanoTime;
    private final LineLimit limit = new LineLimit(LINES, ALL_LINES);

    /** @param nanoTime the clock, such as {@link System#nanoTime} */
    public PeerLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Writes a line, or counts it as suppressed.
     *
     * @param peer its address, without a port: a peer uses many
     * @param format a constant SLF4J format; the last of {@code arguments} may be a {@link Throwable}
     */
    public void write(Logger logger, Level level, String peer, String format, Object... arguments) {
        if (logger.isDebugEnabled()) {
            logger.atLevel(level).log(format, harmless(arguments, true));
            return;
        }
        LineLimit.LineDecision decision = limit.decide(peer, format, nanoTime.getAsLong());
        if (decision.leftOutInAll() > 0) {
            logger.atLevel(level).log("{} more lines about peers were suppressed", decision.leftOutInAll());
        }
        if (decision.leftOut() > 0) {
            logger.atLevel(level)
                    .log(
                            "{}: {} more lines like the next one were suppressed:",
                            Printable.text(peer),
                            decision.leftOut());
        }
        if (decision.isWritten()) {
            logger.atLevel(level).log(format, harmless(arguments, decision.isFirst()));
        }
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
