package io.sluice.streaming.log;

import io.sluice.sstable.component.Printable;
import java.util.Arrays;
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

    private final LongSupplier nanoTime;
    private final LineLimit limit = new LineLimit(LINES, ALL_LINES);

    /** @param nanoTime as {@link System#nanoTime} */
    public PeerLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

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
        LineLimit.LineDecision decision = limit.decide(peer, format, nanoTime.getAsLong());
        if (decision.leftOutInAll() > 0) {
            logger.atLevel(level).log("{} more lines about peers were not written", decision.leftOutInAll());
        }
        if (decision.leftOut() > 0) {
            logger.atLevel(level)
                    .log("{}: {} more lines were not written like this one:", Printable.text(peer), decision.leftOut());
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
