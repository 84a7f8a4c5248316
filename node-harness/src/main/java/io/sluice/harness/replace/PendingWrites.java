package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.agent.OperationMode;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Since when each node sends its writes to the one that receives, too, as far as was seen. From then on, and a write
 * timeout later, whatever is acknowledged is there, or at a replica that is pinned after. A node that joins announces
 * itself long before it asks for data: who looks from then on has nothing left to wait for. Not thread-safe.
 */
final class PendingWrites {
    private static final Logger LOG = LoggerFactory.getLogger(PendingWrites.class);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The pause after a look is as many times as long as it took. */
    private static final int PAUSE_TIMES = 4;

    /** Between two looks nothing is known: in no less than this a node of Cassandra ends and is back. */
    private static final long LONGEST_GAP_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long POLL_MILLIS = 500;

    private final JoinOrder order;
    private final Members members;
    private final JoinProgress progress;
    private final Function<Replicas, Map<String, List<String>>> writtenTo;
    private final LongSupplier nanoClock;
    private final Map<Writes, Seen> seen = new ConcurrentHashMap<>(); // several nodes are asked at once
    private long nextLookNanos;

    /** Those of a keyspace that one node coordinates and sends to another one. */
    private record Writes(String source, String target, String keyspace) {}

    /** That these ranges, and no others, are sent: since then, and still at the last look. */
    private record Seen(TokenRanges ranges, long sinceNanos, long lookedNanos) {}

    /**
     * Looks at nothing yet.
     *
     * @param writtenTo the nodes that every write of a range is sent to because of the operation, by range
     */
    PendingWrites(
            JoinOrder order,
            Members members,
            JoinProgress progress,
            Function<Replicas, Map<String, List<String>>> writtenTo,
            LongSupplier nanoClock) {
        this.order = order;
        this.members = members;
        this.progress = progress;
        this.writtenTo = writtenTo;
        this.nanoClock = nanoClock;
        this.nextLookNanos = nanoClock.getAsLong();
    }

    /**
     * Looks at all members, if {@code target} joins and the last look was a second ago, or longer if looking takes
     * long. What a member sends that does not answer counts anew when it does. An agent has a small heap, and an answer
     * may name hundred thousands of ranges: it is asked for one keyspace after the other.
     */
    void look(Member target) throws InterruptedException {
        long began = nanoClock.getAsLong();
        if (target.status().mode() != OperationMode.JOINING || began - nextLookNanos < 0) {
            return;
        }
        List<Questions.Question<Set<String>>> questions = new ArrayList<>();
        for (Member source : members.allBut(target.endpoint())) {
            Set<String> keyspaces = new TreeSet<>();
            source.status().tables().stream().map(TableRef::keyspace).forEach(keyspaces::add);
            questions.add(() -> {
                for (String keyspace : keyspaces) {
                    Seen unused = look(target, source, keyspace, source.agent().replicasNow(keyspace));
                }
                return keyspaces;
            });
        }
        try {
            List<Set<String>> unused = Questions.all(questions, Questions.MOST_AT_ONCE);
        } catch (IOException e) {
            seen.clear();
            LOG.debug("cannot see who sends writes to {}: {}", target, e.getMessage()); // it is asked again
        }
        long ended = nanoClock.getAsLong();
        nextLookNanos = ended + Math.max(LOOK_NANOS, PAUSE_TIMES * (ended - began));
    }

    /** How it is now, and since when. */
    private Seen look(Member target, Member source, String keyspace, Replicas replicas) {
        List<String> ranges = writtenTo.apply(replicas).entrySet().stream()
                .filter(entry -> entry.getValue().contains(target.endpoint()))
                .map(Map.Entry::getKey)
                .toList();
        TokenRanges now = TokenRanges.of(ranges.stream().map(JoinPlan::parse).toList());
        long nanos = nanoClock.getAsLong(); // after the answer
        return seen.compute(
                new Writes(source.endpoint(), target.endpoint(), keyspace),
                (writes, before) -> new Seen(now, since(before, now, nanos), nanos));
    }

    /** What has changed in between, or was not looked at for some seconds, counts from now on. */
    private static long since(@Nullable Seen before, TokenRanges now, long nanos) {
        return before != null && before.ranges().equals(now) && nanos - before.lookedNanos() <= LONGEST_GAP_NANOS
                ? before.sinceNanos()
                : nanos;
    }

    /**
     * Waits until each source has sent all writes of {@code plans} for as long as a write may take.
     *
     * @throws IOException if one does not know of the target for as long as the order allows
     */
    void await(Member target, List<Member> sources, List<JoinPlan> plans) throws IOException, InterruptedException {
        long deadline = nanoClock.getAsLong() + order.timeout().toNanos();
        List<Questions.Question<Long>> questions = new ArrayList<>();
        sources.forEach(source -> questions.add(() -> awaitKnown(target, source, plans, deadline)));
        long sentNanos = Questions.all(questions, Questions.MOST_AT_ONCE).stream()
                .mapToLong(Long::longValue)
                .min()
                .orElse(0);
        long timeout = sources.stream()
                .mapToLong(source -> source.status().writeTimeoutMillis())
                .max()
                .orElse(0);
        long left = timeout - TimeUnit.NANOSECONDS.toMillis(sentNanos);
        String known = "all " + sources.size() + " nodes send writes to " + target + ", too";
        if (left <= 0) {
            progress.say(known + ", for longer than the " + timeout + " ms that a write may take");
            return;
        }
        progress.say(known + "; waiting " + left + " ms for writes that began before");
        progress.waitsFor("writes that began before all knew of " + target + ", at most " + timeout + " ms");
        Thread.sleep(left);
    }

    /** For how long a node has sent all of them, in nanoseconds. */
    private long awaitKnown(Member target, Member source, List<JoinPlan> plans, long deadline)
            throws IOException, InterruptedException {
        long shortest = plans.isEmpty() ? 0 : Long.MAX_VALUE;
        for (JoinPlan plan : plans) {
            progress.waitsFor(source + " to send writes of keyspace " + plan.keyspace() + " to " + target + ", too");
            Seen now = look(target, source, plan.keyspace(), source.agent().replicas(plan.keyspace()));
            while (!plan.all().minus(now.ranges()).isEmpty()) {
                if (nanoClock.getAsLong() - deadline > 0) {
                    throw new IOException("node " + source + " does not know that " + target
                            + " holds ranges of keyspace " + plan.keyspace() + ", or is about to (expected: within "
                            + order.timeout().toSeconds() + " s; see nodetool gossipinfo there)");
                }
                Thread.sleep(POLL_MILLIS);
                now = look(target, source, plan.keyspace(), source.agent().replicas(plan.keyspace()));
            }
            shortest = Math.min(shortest, nanoClock.getAsLong() - now.sinceNanos());
        }
        return shortest;
    }
}
