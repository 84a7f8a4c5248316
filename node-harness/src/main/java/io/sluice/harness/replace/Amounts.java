package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * How much each source would send of each keyspace, as the sources estimate it: bytes on the disk, since slices keep
 * the compression of their source. Immutable.
 */
record Amounts(List<Amount> all) {
    Amounts {
        all = List.copyOf(all);
    }

    /**
     * What one source would send of one keyspace.
     *
     * @param ranges how many
     * @param tables bytes of each, by its name without the keyspace
     */
    record Amount(String keyspace, String source, int ranges, Map<String, Long> tables) {
        long bytes() {
            return sum(tables.values());
        }
    }

    /** Asks all sources, several at the same time; pins nothing. */
    static Amounts of(Collection<JoinPlan> plans, List<Member> sources) throws IOException, InterruptedException {
        List<Questions.Question<Amount>> questions = new ArrayList<>();
        for (JoinPlan plan : plans) {
            for (Member source : sources) {
                TokenRanges ranges = plan.bySource().getOrDefault(source.endpoint(), TokenRanges.NONE);
                if (!ranges.isEmpty()) {
                    questions.add(() -> of(plan.keyspace(), source, ranges.ranges()));
                }
            }
        }
        return new Amounts(Questions.all(questions, Questions.MOST_AT_ONCE));
    }

    private static Amount of(String keyspace, Member source, List<TokenRange> ranges) throws IOException {
        Map<String, Long> bytes = source.agent()
                .sizes(new AgentMessages.SizeOrder(keyspace, ranges))
                .bytes();
        return new Amount(keyspace, source.endpoint(), ranges.size(), bytes);
    }

    private static long sum(Collection<Long> bytes) {
        return bytes.stream().mapToLong(Long::longValue).sum();
    }

    /** In all. */
    long bytes() {
        return sum(all.stream().map(Amount::bytes).toList());
    }

    /** Of one keyspace. */
    long bytes(String keyspace) {
        return sum(all.stream()
                .filter(amount -> amount.keyspace().equals(keyspace))
                .map(Amount::bytes)
                .toList());
    }
}
