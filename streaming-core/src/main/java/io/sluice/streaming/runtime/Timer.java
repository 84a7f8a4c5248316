package io.sluice.streaming.runtime;

/** A task that runs later. Thread-safe. */
public interface Timer {
    /** It does not run any more, unless it runs just now. Again, it does nothing. */
    void cancel();
}
