package io.sluice.streaming.ring;

import io.sluice.sstable.token.Token;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/** NetworkTopologyStrategy as the manuals tell it, one step after the other: the oracle of {@link ClockwiseWalk}. */
final class NaiveStrategy {
    private final NavigableMap<Token, Node> owners = new TreeMap<>();
    private final Map<String, Integer> factors;

    NaiveStrategy(List<Node> nodes, Map<String, Integer> factors) {
        nodes.forEach(node -> node.tokens().forEach(token -> owners.put(token, node)));
        this.factors = factors;
    }

    Set<Node> replicas(Token token) {
        List<Node> clockwise = new ArrayList<>(owners.tailMap(token, true).values());
        clockwise.addAll(owners.headMap(token, false).values());
        Map<String, Set<Node>> chosen = new LinkedHashMap<>();
        Map<String, Set<String>> seenRacks = new LinkedHashMap<>();
        Map<String, List<Node>> skipped = new LinkedHashMap<>();
        for (Node node : clockwise) {
            String dc = node.location().dc();
            Set<Node> ofDc = chosen.computeIfAbsent(dc, name -> new HashSet<>());
            Set<String> racks = seenRacks.computeIfAbsent(dc, name -> new HashSet<>());
            List<Node> later = skipped.computeIfAbsent(dc, name -> new ArrayList<>());
            int factor = factors.getOrDefault(dc, 0);
            if (ofDc.size() >= factor) {
                continue;
            }
            if (racks.size() == rackCount(dc)) {
                ofDc.add(node);
            } else if (!racks.add(node.location().rack())) {
                later.add(node);
            } else {
                ofDc.add(node);
                if (racks.size() == rackCount(dc)) {
                    later.stream().distinct().forEach(other -> {
                        if (ofDc.size() < factor) {
                            ofDc.add(other);
                        }
                    });
                }
            }
        }
        Set<Node> all = new HashSet<>();
        chosen.values().forEach(all::addAll);
        return all;
    }

    private int rackCount(String dc) {
        return (int) owners.values().stream()
                .filter(node -> node.location().dc().equals(dc))
                .map(Node::location)
                .distinct()
                .count();
    }
}
