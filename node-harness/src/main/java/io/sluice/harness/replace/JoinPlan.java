package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.replace.JoinOrder.From;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Who sends which ranges of a keyspace, made from Cassandra's own plan. Pure; immutable.
 *
 * @param ranges as Cassandra calls them, all that it would fetch
 * @param bySource endpoint, and what it may send
 * @param chosen by Cassandra: endpoint, and what it sends if one replica is enough
 */
record JoinPlan(
        String keyspace, List<String> ranges, Map<String, TokenRanges> bySource, Map<String, TokenRanges> chosen) {
    JoinPlan {
        ranges = List.copyOf(ranges);
        bySource = Map.copyOf(bySource);
        chosen = Map.copyOf(chosen);
    }

    /**
     * Plans one keyspace.
     *
     * @param planned Cassandra's plan: source, ranges
     * @param replicas of the keyspace, before the change
     * @param live endpoints that may send
     * @throws IllegalArgumentException if Cassandra would ask one that is not alive, or the ring does not say who all
     *     holds a range
     */
    static JoinPlan of(
            String keyspace, Map<String, List<String>> planned, Replicas replicas, Collection<String> live, From from) {
        Map<String, List<TokenRange>> bySource = new TreeMap<>();
        Map<String, List<TokenRange>> chosen = new TreeMap<>();
        TreeSet<String> ranges = new TreeSet<>();
        planned.forEach((source, wanted) -> {
            for (String text : wanted) {
                ranges.add(text);
                TokenRange range = parse(text);
                // Cassandra's choice always: with strict consistency it is the one that must be asked.
                if (!live.contains(source)) {
                    throw new IllegalArgumentException("keyspace " + keyspace + ": Cassandra would fetch " + text
                            + " from " + source + ", which has no agent or is not alive");
                }
                bySource.computeIfAbsent(source, key -> new ArrayList<>()).add(range);
                chosen.computeIfAbsent(source, key -> new ArrayList<>()).add(range);
                if (from != From.ONE) {
                    holders(keyspace, range, replicas.natural()).forEach((holder, pieces) -> {
                        if (live.contains(holder)) {
                            bySource.computeIfAbsent(holder, key -> new ArrayList<>())
                                    .addAll(pieces);
                        }
                    });
                }
            }
        });
        return new JoinPlan(keyspace, List.copyOf(ranges), normal(bySource), normal(chosen));
    }

    private static Map<String, TokenRanges> normal(Map<String, List<TokenRange>> bySource) {
        Map<String, TokenRanges> normal = new LinkedHashMap<>();
        bySource.forEach((source, list) -> normal.put(source, TokenRanges.of(list)));
        return normal;
    }

    /** Who holds which pieces of {@code range}: the ring may cut it otherwise than the plan. */
    private static Map<String, List<TokenRange>> holders(
            String keyspace, TokenRange range, Map<String, List<String>> ring) {
        Map<String, List<TokenRange>> holders = new TreeMap<>();
        TokenRanges unknown = TokenRanges.of(range);
        for (Map.Entry<String, List<String>> known : ring.entrySet()) {
            TokenRanges held = TokenRanges.of(parse(known.getKey()));
            List<TokenRange> piece = TokenRanges.of(range).intersection(held).ranges();
            known.getValue()
                    .forEach(holder -> holders.computeIfAbsent(holder, key -> new ArrayList<>())
                            .addAll(piece));
            unknown = unknown.minus(held);
        }
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("keyspace " + keyspace + ": the ring does not say who holds all of "
                    + range + " (expected: each range that Cassandra would fetch; run again when the nodes agree on the"
                    + " ring)");
        }
        return holders;
    }

    /** What a dead node has, as a plan of its replacement would be; for a look before there is one. */
    static Map<String, List<String>> ofDead(String dead, Replicas replicas, Collection<String> live) {
        Map<String, List<String>> planned = new TreeMap<>();
        replicas.natural().forEach((range, endpoints) -> {
            if (endpoints.stream().anyMatch(endpoint -> Member.isNamed(endpoint, dead))) {
                endpoints.stream()
                        .filter(live::contains)
                        .findFirst()
                        .ifPresent(source -> planned.computeIfAbsent(source, key -> new ArrayList<>())
                                .add(range));
            }
        });
        return planned;
    }

    /**
     * What a member owns.
     *
     * @param planned ranges by a replica that may send them
     * @param missing ranges that others hold, too, of whom none may send
     */
    record Owned(Map<String, List<String>> planned, List<String> missing) {}

    /**
     * What a member owns, as a plan of its rebuild would be; ranges that nobody else is to hold are not in it.
     *
     * @param senders endpoints that may send
     */
    static Owned ofMember(String target, Replicas replicas, Collection<String> senders) {
        Map<String, List<String>> planned = new TreeMap<>();
        List<String> missing = new ArrayList<>();
        replicas.natural().forEach((range, endpoints) -> {
            boolean isOwned = endpoints.stream().anyMatch(endpoint -> Member.isNamed(endpoint, target));
            List<String> others = endpoints.stream()
                    .filter(endpoint -> !Member.isNamed(endpoint, target))
                    .toList();
            if (isOwned && !others.isEmpty()) {
                others.stream()
                        .filter(senders::contains)
                        .findFirst()
                        .ifPresentOrElse(
                                source -> planned.computeIfAbsent(source, key -> new ArrayList<>())
                                        .add(range),
                                () -> missing.add(range));
            }
        });
        return new Owned(planned, missing);
    }

    /** Ranges that {@code node} holds, and of all others none of which {@code may} is true; in order. */
    static List<String> alone(String node, Replicas replicas, Predicate<String> may) {
        List<String> alone = new ArrayList<>();
        replicas.natural().forEach((range, endpoints) -> {
            boolean isHeld = endpoints.stream().anyMatch(endpoint -> Member.isNamed(endpoint, node));
            if (isHeld
                    && endpoints.stream()
                            .filter(endpoint -> !Member.isNamed(endpoint, node))
                            .noneMatch(may)) {
                alone.add(range);
            }
        });
        alone.sort(Comparator.naturalOrder());
        return alone;
    }

    /** Those of {@code ranges} that a plan has all of: the ring may cut them otherwise. */
    static List<String> covered(Map<String, List<String>> planned, List<String> ranges) {
        TokenRanges all = TokenRanges.of(planned.values().stream()
                .flatMap(List::stream)
                .map(JoinPlan::parse)
                .toList());
        return ranges.stream()
                .filter(range -> TokenRanges.of(parse(range)).minus(all).isEmpty())
                .toList();
    }

    /** {@code (start,end]} */
    static TokenRange parse(String text) {
        try {
            if (text.startsWith("(") && text.endsWith("]")) {
                String[] ends = text.substring(1, text.length() - 1).split(",", -1);
                if (ends.length == 2) {
                    return new TokenRange(
                            new Token(Long.parseLong(ends[0].strip())), new Token(Long.parseLong(ends[1].strip())));
                }
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(notARange(text), e);
        }
        throw new IllegalArgumentException(notARange(text));
    }

    private static String notARange(String text) {
        return "range '" + text + "' (expected: (start,end] of the Murmur3Partitioner)";
    }

    TokenRanges all() {
        return TokenRanges.of(ranges.stream().map(JoinPlan::parse).toList());
    }
}
