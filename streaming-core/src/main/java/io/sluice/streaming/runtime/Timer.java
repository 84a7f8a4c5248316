package io.sluice.streaming.runtime;

/** A task that runs later. Thread-safe. */
public interface Timer {
    /** Cancels the task unless it is already running. Idempotent. */
    void cancel();
}
