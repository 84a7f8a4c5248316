package io.sluice.simulation;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.planner.DataSizes;
import io.sluice.streaming.planner.Planner;
import io.sluice.streaming.planner.PlannerOptions;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A ring of nodes with tokens, and a topology change that the production planner plans. Replicas are computed here
 * independently, by a walk along tokens instead of ranges, to check the plan. Not changed once it is drawn.
 *
 * @param members of the ring before the change, by their tokens
 * @param replicas how many nodes hold each partition
 * @param changes of each receiver
 */
record PlannedRing(Map<Node, List<Long>> members, int replicas, Map<ReceivingDatabase, TopologyChange> changes) {
    private static final int RANGE = 6_000;

    /** Draws a ring and a change for each receiver. */
    static PlannedRing draw(
            SplittableRandom random, List<SourceDatabase> sources, List<ReceivingDatabase> receivers, World world) {
        TreeSet<Long> taken = new TreeSet<>();
        Map<Node, List<Long>> members = new LinkedHashMap<>();
        for (SourceDatabase source : sources) {
            add(members, source.process().node, tokens(random, taken));
        }
        Map<ReceivingDatabase, TopologyChange> changes = new LinkedHashMap<>();
        int kind = random.nextInt(3);
        int lost = 0;
        if (kind == 0) {
            Node dead = new Node(world.newUuid(), "dead", new Address("dead", 1), List.of()).down();
            Node member = add(members, dead, tokens(random, taken));
            lost = 1;
            receivers.forEach(
                    receiver -> changes.put(receiver, new TopologyChange.Replace(member, receiver.process.node)));
        } else if (kind == 1) {
            lost = receivers.size();
            List<Node> targets = new ArrayList<>();
            receivers.forEach(receiver -> targets.add(add(members, receiver.process.node, tokens(random, taken))));
            receivers.forEach(receiver -> changes.put(
                    receiver, new TopologyChange.Rebuild(targets, TokenRanges.FULL, TopologyChange.SourceFilter.ANY)));
        } else {
            receivers.forEach(receiver -> changes.put(
                    receiver,
                    new TopologyChange.Bootstrap(
                            receiver.process.node.withTokens(of(tokens(random, taken))), random.nextBoolean())));
        }
        int replicas = lost + 1 + random.nextInt(sources.size());
        return new PlannedRing(members, replicas, changes);
    }

    private static Node add(Map<Node, List<Long>> members, Node node, List<Long> tokens) {
        Node member = node.withTokens(of(tokens));
        members.put(member, tokens);
        return member;
    }

    private static List<Token> of(List<Long> tokens) {
        return tokens.stream().map(Token::new).toList();
    }

    private static List<Long> tokens(SplittableRandom random, TreeSet<Long> taken) {
        List<Long> tokens = new ArrayList<>();
        while (tokens.isEmpty() || random.nextInt(3) == 0) {
            long token = random.nextInt(3) == 0
                    ? RingSections.EDGES.get(random.nextInt(RingSections.EDGES.size()))
                    : random.nextLong(-RANGE, RANGE);
            if (taken.add(token)) {
                tokens.add(token);
            }
        }
        return tokens;
    }

    /** The sections between all tokens, including those of joining nodes. */
    List<TokenRange> sections() {
        TreeSet<Long> cuts = new TreeSet<>();
        members.values().forEach(cuts::addAll);
        changes.values().forEach(change -> {
            if (change instanceof TopologyChange.Bootstrap bootstrap) {
                bootstrap.joining().tokens().forEach(token -> cuts.add(token.value()));
            }
        });
        List<TokenRange> sections = new ArrayList<>();
        long before = cuts.last();
        for (long cut : cuts) {
            sections.add(TokenRange.of(before, cut));
            before = cut;
        }
        return sections;
    }

    /** The sources that hold a section before the change. */
    List<SourceDatabase> holders(TokenRange section, List<SourceDatabase> sources) {
        Set<UUID> owners = walk(members, section.end().value());
        return sources.stream()
                .filter(source -> owners.contains(source.process().node.id()))
                .toList();
    }

    /**
     * The replicas of a token: starts at the first node token that is not less, and continues clockwise until there are
     * enough.
     */
    private Set<UUID> walk(Map<Node, List<Long>> ring, long token) {
        TreeMap<Long, UUID> places = new TreeMap<>();
        ring.forEach((node, tokens) -> tokens.forEach(at -> places.put(at, node.id())));
        Set<UUID> owners = new LinkedHashSet<>();
        Stream.concat(places.tailMap(token).values().stream(), places.values().stream())
                .filter(id -> owners.size() < replicas || owners.contains(id))
                .forEach(owners::add);
        return owners;
    }

    /** What {@code receiver} must fetch: each section that it will hold and does not hold now, or has lost. */
    List<TokenRange> wanted(ReceivingDatabase receiver) {
        TopologyChange change = Objects.requireNonNull(changes.get(receiver));
        return sections().stream()
                .filter(section -> isWanted(
                        change, receiver.process.node.id(), section.end().value()))
                .toList();
    }

    private boolean isWanted(TopologyChange change, UUID receiver, long token) {
        if (change instanceof TopologyChange.Replace replace) {
            return walk(members, token).contains(replace.dead().id());
        } else if (change instanceof TopologyChange.Rebuild) {
            return walk(members, token).contains(receiver);
        }
        Node joining = ((TopologyChange.Bootstrap) change).joining();
        return walk(with(joining), token).contains(joining.id());
    }

    private Map<Node, List<Long>> with(Node joining) {
        Map<Node, List<Long>> ring = new LinkedHashMap<>(members);
        ring.put(joining, joining.tokens().stream().map(Token::value).toList());
        return ring;
    }

    /** The nodes that may send a section; in a strict bootstrap only the one that loses it, if there is one. */
    private Set<UUID> senders(TopologyChange change, TokenRange section, List<SourceDatabase> sources) {
        Set<UUID> holders = new LinkedHashSet<>();
        holders(section, sources)
                .forEach(source -> holders.add(source.process().node.id()));
        if (change instanceof TopologyChange.Bootstrap bootstrap && bootstrap.isStrict()) {
            Set<UUID> leaving = new LinkedHashSet<>(holders);
            leaving.removeAll(walk(with(bootstrap.joining()), section.end().value()));
            return leaving.isEmpty() ? holders : leaving;
        }
        return holders;
    }

    /** Plans the change with the production planner. */
    StreamPlan plan(ReceivingDatabase receiver, List<TableRef> tables, UUID id, long epoch) {
        TopologyChange change = Objects.requireNonNull(changes.get(receiver));
        Ring ring = new Ring(members.keySet(), replicas);
        Map<TableRef, Ring> rings = new LinkedHashMap<>();
        tables.forEach(table -> rings.put(table, ring));
        Node destination = change instanceof TopologyChange.Bootstrap bootstrap
                ? bootstrap.joining()
                : change instanceof TopologyChange.Replace replace ? replace.replacement() : receiver.process.node;
        StreamPlan plan = Planner.plan(change, rings, DataSizes.even(1 << 20), PlannerOptions.DEFAULTS)
                .streamPlan(id, destination);
        return new StreamPlan(id, plan.operation(), plan.requests(), plan.alternates(), epoch);
    }

    /**
     * Describes what is wrong with a plan, which must fetch each wanted section once, from an allowed node, and nothing
     * else.
     */
    Optional<String> wrongWith(
            StreamPlan plan, ReceivingDatabase receiver, List<TableRef> tables, List<SourceDatabase> sources) {
        TopologyChange change = Objects.requireNonNull(changes.get(receiver));
        List<TokenRange> wanted = wanted(receiver);
        for (TableRef table : tables) {
            for (TokenRange section : sections()) {
                RingSection here =
                        new RingSection(section.start().value(), section.end().value());
                Set<UUID> allowed = senders(change, section, sources);
                for (long token : List.of(here.first(), here.last(), Long.MIN_VALUE + 1, Long.MAX_VALUE)) {
                    List<UUID> chosen = senders(plan.requests(), table, token);
                    List<UUID> others = senders(plan.alternates(), table, token);
                    boolean isRight = wanted.contains(section)
                            ? chosen.size() == 1 && allowed.containsAll(chosen) && allowed.containsAll(others)
                            : chosen.isEmpty() && others.isEmpty();
                    if (here.contains(token) && !isRight) {
                        return Optional.of("the plan of " + change + " has " + table.name() + " at token " + token
                                + " of " + here + " from " + chosen + ", alternates " + others + " (expected: of "
                                + wanted + " each once, from one of " + allowed + ")");
                    }
                }
            }
        }
        return Optional.empty();
    }

    private static List<UUID> senders(List<StreamRequest> requests, TableRef table, long token) {
        return requests.stream()
                .filter(request -> request.table().equals(table))
                .filter(request ->
                        RingSection.anyContains(RingSection.of(request.ranges().ranges()), token))
                .map(request -> request.source().id())
                .toList();
    }
}
