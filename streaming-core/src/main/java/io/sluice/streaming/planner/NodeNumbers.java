package io.sluice.streaming.planner;

import io.sluice.streaming.ring.Node;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Numbers nodes from 0, so that millions of choices among them fit in arrays. Immutable. */
final class NodeNumbers {
    private final List<Node> nodes;
    private final Map<Node, Integer> numbers = new HashMap<>();

    /** @param nodes of equal nodes the first one is used */
    NodeNumbers(Collection<Node> nodes) {
        this.nodes = nodes.stream().distinct().toList();
        this.nodes.forEach(node -> numbers.put(node, numbers.size()));
    }

    int count() {
        return nodes.size();
    }

    Node node(int number) {
        return nodes.get(number);
    }

    int of(Node node) {
        Integer number = numbers.get(node);
        if (number == null) {
            throw new IllegalArgumentException("node " + node + ": not a member of any of the rings");
        }
        return number;
    }

    String names(int[] some) {
        return Arrays.stream(some).mapToObj(number -> node(number).name()).collect(Collectors.joining(", "));
    }
}
