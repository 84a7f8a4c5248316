package io.sluice.hook;

import java.util.List;
import java.util.Map;

/**
 * How the agent beside a node controls the hook in it; registered as {@value #NAME}. Commands name their hold, so that
 * a late command cannot affect the next hold. A command that cannot be carried out throws IllegalStateException or
 * IllegalArgumentException with a message.
 */
public interface HookMXBean {
    /** Object name at the platform MBean server. */
    String NAME = "io.sluice:type=Hook";

    /** {@code IDLE} before Cassandra first requests data, {@code HOLDING} while it waits, then {@code LET_GO}. */
    String getState();

    /** Id of the latest hold; empty before the first. */
    String getHoldId();

    /** Cassandra's name of the operation: {@code Bootstrap}, {@code Rebuild}; empty before the first hold. */
    String getOperation();

    /** How long the latest hold has lasted or lasted in total, in milliseconds; 0 before the first. */
    long getHeldMillis();

    /** Why the node continued; empty while it waits. */
    String getReason();

    /** How long the agent may be silent before the node continues without it, in milliseconds. */
    long getAgentTimeoutMillis();

    /**
     * What Cassandra plans to fetch: keyspace, source as {@code host:port}, ranges as {@code (start,end]}. Excludes
     * transient replicas: Cassandra fetches them by itself.
     */
    Map<String, Map<String, List<String>>> getPlan();

    /** The ranges marked so far: keyspace, ranges. */
    Map<String, List<String>> getMarked();

    /** Reports that the agent is alive; call it several times within {@link #getAgentTimeoutMillis}. */
    void heartbeat(String holdId);

    /** Marks ranges whose data is already in the tables of the keyspace, so that Cassandra does not fetch them. */
    void markAvailable(String holdId, String keyspace, List<String> ranges);

    /** Lets the node continue; it fetches the ranges that are not marked by itself. */
    void release(String holdId);

    /** Like {@link #release}, with a reason that the node logs. */
    void abort(String holdId, String reason);

    /** Removes all marks; a later rebuild would skip the ranges that they name. Refused while the node waits. */
    void clearMarks();
}
