package io.sluice.streaming.throttle;

import io.sluice.streaming.Limit;
import io.sluice.streaming.plan.Operation.Priority;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * All throttles of one node. The bytes of a session count for every limit that applies to it: of the node, the kind of
 * transfer, other data centres, and the session. A changed limit takes effect within half a second, also for pieces
 * that wait already.
 *
 * <p>Thread-safe.
 */
public final class Throttles {
    private final Map<Limit, Throttle> byLimit = new EnumMap<>(Limit.class);
    private final Throttle foreground;

    /**
     * Creates unused throttles.
     *
     * @param rates in bytes per second; a missing limit means no limit
     */
    public Throttles(Map<Limit, Long> rates, long nowNanos) {
        for (Limit limit : Limit.values()) {
            byLimit.put(limit, new Throttle(rates.getOrDefault(limit, 0L), nowNanos));
        }
        this.foreground = new Throttle(0, nowNanos);
    }

    /** Sets a limit in bytes per second; 0 for no limit. Applies to running sessions, too. */
    public void setRate(Limit limit, long rate) {
        of(limit).setRate(rate);
    }

    /** A limit in bytes per second; 0 for no limit. */
    public long rate(Limit limit) {
        return of(limit).rate();
    }

    /** The throttle that protects the database, in both directions; see {@link BackPressure}. */
    public Throttle foreground() {
        return foreground;
    }

    private Throttle of(Limit limit) {
        return Objects.requireNonNull(byLimit.get(limit), "every limit has a throttle");
    }

    /** The throttles of one sending session. Thread-safe. */
    public record Outbound(CombinedThrottle files, CombinedThrottle rows) {}

    /**
     * Creates the throttles of a sending session.
     *
     * @param isRemote whether the peer is in another data centre
     * @param priority of its plan, now
     */
    public Outbound outbound(boolean isRemote, Supplier<Priority> priority, long nowNanos) {
        Throttle session = of(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND).another(nowNanos);
        Throttle files = of(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND);
        Throttle rows = of(Limit.STREAM_THROUGHPUT_OUTBOUND);
        if (isRemote) {
            Throttle farFiles = of(Limit.ENTIRE_SSTABLE_INTER_DC_STREAM_THROUGHPUT_OUTBOUND);
            Throttle farRows = of(Limit.INTER_DC_STREAM_THROUGHPUT_OUTBOUND);
            return new Outbound(
                    new CombinedThrottle(List.of(foreground, session, files, farFiles), priority),
                    new CombinedThrottle(List.of(foreground, session, rows, farRows), priority));
        }
        return new Outbound(
                new CombinedThrottle(List.of(foreground, session, files), priority),
                new CombinedThrottle(List.of(foreground, session, rows), priority));
    }

    /**
     * Creates the throttles of a receiving session.
     *
     * @param isRemote whether the peer is in another data centre
     * @param priority of its plan, now
     */
    public CombinedThrottle inbound(boolean isRemote, Supplier<Priority> priority, long nowNanos) {
        Throttle session = of(Limit.SESSION_STREAM_THROUGHPUT_INBOUND).another(nowNanos);
        Throttle all = of(Limit.STREAM_THROUGHPUT_INBOUND);
        return new CombinedThrottle(
                isRemote
                        ? List.of(foreground, session, all, of(Limit.INTER_DC_STREAM_THROUGHPUT_INBOUND))
                        : List.of(foreground, session, all),
                priority);
    }
}
