package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages.Hook;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.streaming.plan.Operation;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** How the node that receives takes its data: held back while it joins, or as the member that it is already. */
sealed interface Receiving permits JoiningNode, RebuiltNode {
    /** That of an order. */
    static Receiving of(JoinOrder order, Members members, JoinProgress progress) {
        return order.operation() == Operation.REBUILD
                ? new RebuiltNode(order, members, progress)
                : new JoiningNode(order, members, progress);
    }

    /**
     * What is to be brought.
     *
     * @param operation of the pins
     * @param planned keyspace, source, ranges
     * @param marked ranges that an earlier run has completed, by keyspace
     */
    record Job(UUID operation, Map<String, Map<String, List<String>>> planned, Map<String, List<String>> marked) {}

    /** What is done while a node is waited for. */
    interface Meanwhile {
        void look(Member target) throws InterruptedException;
    }

    /** How the node is, a sentence. */
    String describe(Member target);

    /**
     * Waits for the node.
     *
     * @param meanwhile is notified of the node each time that it is asked and not there yet
     * @return the node, which can be brought its data, or has gone on without
     * @throws RefusedException if it never will
     */
    Member await(Meanwhile meanwhile) throws IOException, InterruptedException;

    /** Its hook, if the node has gone on, so that it is brought nothing. */
    Optional<Hook> goneOn(Member target);

    /**
     * Begins, or goes on with what an earlier run has begun.
     *
     * @param left takes keyspaces that cannot be brought, and why
     */
    Job begin(Member target, List<Member> sources, Map<String, String> left) throws IOException;

    /**
     * Keyspaces with ranges that no live node can send, since no other is to hold them, and what that means. Asks one
     * of the sources, or the node itself if there are none; changes nothing.
     *
     * @param target empty if its agent does not answer
     * @param sources members that answer; not empty if {@code target} is
     */
    Map<String, String> missing(Optional<Member> target, List<Member> sources) throws IOException;

    /** The nodes that every write of a range is sent to because of this operation, by range. */
    Map<String, List<String>> writtenTo(Replicas replicas);

    /** What ranges are that were brought, in a word. */
    String brought();

    /** What becomes of a keyspace that is not brought, in words. */
    String left();

    /** All is there that is brought: waits until the node serves it. */
    void complete(Member target, Job job) throws IOException, InterruptedException;

    /**
     * The operation that has begun at the node.
     *
     * @throws IOException if none has
     */
    UUID operation(Member target) throws IOException;

    /** How long it takes, or has taken. */
    Duration took(Member target) throws IOException;

    /** Bytes that Cassandra itself has streamed to the node meanwhile; empty if it has no part in this. */
    Optional<Long> streamedBytes(Member target) throws IOException;

    /** Whether the node has joined, and runs in a process that knows nothing of how it did. */
    boolean hasForgotten(Member target);

    /**
     * Aborts what has begun; what is marked stays so.
     *
     * @throws IOException if the node does not answer, or refuses; may be repeated
     */
    void abort(Member target, String reason) throws IOException;

    /** Removes what would keep the node from fetching the same by itself later. */
    void clearMarks(Member target) throws IOException;

    /** Nothing is left of it anywhere else. */
    void over(Member target, UUID operation) throws IOException;
}
