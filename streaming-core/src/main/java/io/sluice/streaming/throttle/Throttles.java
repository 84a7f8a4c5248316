package io.sluice.streaming.throttle;

import io.sluice.streaming.Limit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * All limits of one node. What a session moves counts at every limit above it: of the node, of the kind of transfer, of
 * other data centres, of the session. Each may be changed at any time: that holds from the next piece on, a twentieth
 * of a second later.
 *
 * <p>Thread-safe.
 */
public final class Throttles {
    private final Map<Limit, Throttle> byLimit = new EnumMap<>(Limit.class);
    private final Throttle foreground;

    /**
     * Limits of which nothing is used yet.
     *
     * @param rates in bytes per second; a limit that is missing does not limit
     */
    public Throttles(Map<Limit, Long> rates, long nowNanos) {
        for (Limit limit : Limit.values()) {
            byLimit.put(limit, new Throttle(rates.getOrDefault(limit, 0L), nowNanos));
        }
        this.foreground = new Throttle(0, nowNanos);
    }

    /** From now on, {@code rate} bytes per second; 0 for no limit. Holds for sessions that run, too. */
    public void setRate(Limit limit, long rate) {
        of(limit).setRate(rate);
    }

    /** Bytes per second; 0 for no limit. */
    public long rate(Limit limit) {
        return of(limit).rate();
    }

    /** What streaming is held to for the sake of the database, in both directions; see {@link BackPressure}. */
    public Throttle foreground() {
        return foreground;
    }

    private Throttle of(Limit limit) {
        return Objects.requireNonNull(byLimit.get(limit), "every limit has a throttle");
    }

    /** What holds for one session that sends. Thread-safe. */
    public record Outbound(CombinedThrottle files, CombinedThrottle rows) {}

    /**
     * The limits of a session that sends.
     *
     * @param isRemote whether the peer is in another data centre
     */
    public Outbound outbound(boolean isRemote, long nowNanos) {
        Throttle session = of(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND).another(nowNanos);
        Throttle files = of(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND);
        Throttle rows = of(Limit.STREAM_THROUGHPUT_OUTBOUND);
        return isRemote
                ? new Outbound(
                        new CombinedThrottle(List.of(
                                foreground,
                                session,
                                files,
                                of(Limit.ENTIRE_SSTABLE_INTER_DC_STREAM_THROUGHPUT_OUTBOUND))),
                        new CombinedThrottle(
                                List.of(foreground, session, rows, of(Limit.INTER_DC_STREAM_THROUGHPUT_OUTBOUND))))
                : new Outbound(
                        new CombinedThrottle(List.of(foreground, session, files)),
                        new CombinedThrottle(List.of(foreground, session, rows)));
    }

    /**
     * The limits of a session that receives.
     *
     * @param isRemote whether the peer is in another data centre
     */
    public CombinedThrottle inbound(boolean isRemote, long nowNanos) {
        Throttle session = of(Limit.SESSION_STREAM_THROUGHPUT_INBOUND).another(nowNanos);
        Throttle all = of(Limit.STREAM_THROUGHPUT_INBOUND);
        return new CombinedThrottle(
                isRemote
                        ? List.of(foreground, session, all, of(Limit.INTER_DC_STREAM_THROUGHPUT_INBOUND))
                        : List.of(foreground, session, all));
    }
}
