package io.sluice.streaming.throttle;

/** Reports the load of the database while data streams. Implementations are thread-safe and fast. */
public interface ForegroundLoad {
    /** Never overloaded. */
    ForegroundLoad NONE = () -> false;

    /**
     * Whether client requests are slowed down now, by a measure of the database's choice: latency, queues, dropped
     * messages. Called ten times a second, on an event loop, as long as the node runs.
     */
    boolean isOverloaded();
}
