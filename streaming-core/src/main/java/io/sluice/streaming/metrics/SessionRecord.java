package io.sluice.streaming.metrics;

import jdk.jfr.FlightRecorder;

/** One attempt at a session, for Java Flight Recorder. For one thread. */
public interface SessionRecord {
    /** Ends the attempt, and writes its event if a recording is running; {@code reason} is empty if it is complete. */
    void complete(long movedBytes, String reason);

    /**
     * Begins now. As long as nobody has started the recorder in this process, no class of an event is loaded: the first
     * one loads the recorder, which takes a process that has just been started an eighth of a second.
     *
     * @param direction {@code in} or {@code out}
     */
    static SessionRecord begin(String plan, String peer, String direction) {
        return FlightRecorder.isInitialized()
                ? new SessionFlightEvent(plan, peer, direction)
                : (movedBytes, reason) -> {};
    }
}
