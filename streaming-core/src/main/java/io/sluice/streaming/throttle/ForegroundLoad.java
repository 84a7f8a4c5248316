package io.sluice.streaming.throttle;

/** What the database says of how its own work goes while data streams. Implementations are thread-safe and quick. */
public interface ForegroundLoad {
    /** Never overloaded. */
    ForegroundLoad NONE = () -> false;

    /**
     * Whether requests of clients are slowed down now, by whatever measure the database has: latency, queues, dropped
     * messages. Asked ten times a second while data streams.
     */
    boolean isOverloaded();
}
