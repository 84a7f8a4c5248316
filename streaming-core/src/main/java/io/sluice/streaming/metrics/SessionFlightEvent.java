package io.sluice.streaming.metrics;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** One attempt at a session, as an event of Java Flight Recorder. For one thread. */
@Name("io.sluice.Session")
@Label("Stream session")
@Category("Sluice")
@Description("One attempt at a session of a stream plan, at one of its two ends")
@StackTrace(false)
final class SessionFlightEvent extends Event implements SessionRecord {
    @Label("Plan")
    private final String plan;

    @Label("Peer")
    private final String peer;

    @Label("Direction")
    private final String direction;

    @Label("File bytes")
    @Description("That moved in this attempt, without those that were here before")
    @DataAmount
    private long bytes;

    @Label("Failure")
    @Description("Code and reason; empty if it is complete")
    private String failure = "";

    SessionFlightEvent(String plan, String peer, String direction) {
        this.plan = plan;
        this.peer = peer;
        this.direction = direction;
        begin();
    }

    @Override
    public void complete(long movedBytes, String reason) {
        end();
        bytes = movedBytes;
        failure = reason;
        commit();
    }

    /** The fields of the event. */
    @Override
    public String toString() {
        return plan + " " + direction + " " + peer + " " + bytes + " " + failure;
    }
}
