package io.sluice.harness.cli;

import io.sluice.sstable.component.Printable;
import io.sluice.streaming.log.LineLimit;
import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Prints connections that were refused, of which anybody who reaches the port can make thousands: {@value #LINES} lines
 * in a minute; those beyond are counted. What the peer says is escaped. Thread-safe.
 */
final class RefusedConnections implements Consumer<String> {
    static final int LINES = 10;

    private final PrintStream out;
    private final LongSupplier nanoTime;
    private final LineLimit limit = new LineLimit(LINES, LINES);
    private final AtomicLong all = new AtomicLong();

    /** @param nanoTime as {@link System#nanoTime} */
    RefusedConnections(PrintStream out, LongSupplier nanoTime) {
        this.out = out;
        this.nanoTime = nanoTime;
    }

    @Override
    public void accept(String reason) {
        all.incrementAndGet();
        LineLimit.LineDecision decision = limit.decide("", "", nanoTime.getAsLong());
        if (decision.leftOutInAll() > 0) {
            out.println("sluice: " + decision.leftOutInAll() + " more connections were refused in a minute");
        }
        if (decision.isWritten()) {
            out.println("sluice: " + Printable.text(reason));
        }
    }

    /** How many there were in all, if more than were printed. */
    void summary() {
        if (all.get() > LINES) {
            out.println("sluice: " + all.get() + " connections were refused in all");
        }
    }
}
