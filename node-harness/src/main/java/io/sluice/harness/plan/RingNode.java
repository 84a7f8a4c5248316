package io.sluice.harness.plan;

import io.sluice.harness.config.ConfigException;
import io.sluice.netty.options.NearestKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * A part of a ring file. It is bound by hand: a library that binds any type takes half of the CPU of a short command.
 * Immutable.
 *
 * @param file for messages
 * @param node as SnakeYAML composed it
 * @param place the keys and entries that lead to it, as {@code nodes[1].tokens}; empty for the file
 */
record RingNode(Path file, Node node, String place) {
    /** The values by key; those without a value are left out. */
    record Keys(RingNode parent, Map<String, RingNode> values) {
        /**
         * The value of a key.
         *
         * @throws ConfigException if it has none
         */
        RingNode required(String key) {
            return optional(key).orElseThrow(() -> parent.wrong(join(parent.place, key), "missing"));
        }

        Optional<RingNode> optional(String key) {
            return Optional.ofNullable(values.get(key));
        }

        Optional<String> text(String key) {
            return optional(key).map(RingNode::text);
        }
    }

    /**
     * Its keys.
     *
     * @param known those that it may have
     * @throws ConfigException if it has others, one twice, or none because it is something else
     */
    Keys keys(String... known) {
        return new Keys(this, values(List.of(known)));
    }

    /** Keys that are names, with their values. */
    Map<String, RingNode> named() {
        return values(List.of());
    }

    private Map<String, RingNode> values(List<String> known) {
        if (!(node instanceof MappingNode mapping)) {
            throw unlike("keys, each 'key: value'");
        }
        Map<String, RingNode> values = new LinkedHashMap<>();
        Map<String, Integer> lines = new LinkedHashMap<>();
        for (NodeTuple entry : mapping.getValue()) {
            RingNode name = new RingNode(file, entry.getKeyNode(), place);
            String key = name.text();
            String at = join(place, key);
            if (!known.isEmpty() && !known.contains(key)) {
                throw name.wrong(at, "unknown key " + NearestKey.hint(key, known));
            }
            Integer earlier = lines.put(key, name.line());
            if (earlier != null) {
                throw name.wrong(at, "is already in line " + earlier + " (expected: once)");
            }
            if (!isEmpty(entry.getValueNode())) {
                values.put(key, new RingNode(file, entry.getValueNode(), at));
            }
        }
        return values;
    }

    private static String join(String place, String key) {
        return place.isEmpty() ? key : place + "." + key;
    }

    /** Its entries, none of them empty. */
    List<RingNode> entries() {
        if (!(node instanceof SequenceNode sequence)) {
            throw unlike("a list");
        }
        List<RingNode> entries = new ArrayList<>();
        for (Node entry : sequence.getValue()) {
            entries.add(new RingNode(file, entry, place + "[" + (entries.size() + 1) + "]"));
        }
        return entries;
    }

    boolean isScalar() {
        return node instanceof ScalarNode;
    }

    /** What is written there. */
    String text() {
        if (node instanceof ScalarNode scalar && !isEmpty(scalar)) {
            return scalar.getValue();
        }
        throw unlike("one value");
    }

    /** A token. */
    long token() {
        try {
            return Long.parseLong(text());
        } catch (NumberFormatException e) {
            throw wrong(place, "'" + text() + "' (expected: a token from -2^63 to 2^63-1)");
        }
    }

    /**
     * A number of 32 bits.
     *
     * @param what it counts, for messages
     */
    int count(String what, String expected) {
        try {
            return Integer.parseInt(text());
        } catch (NumberFormatException e) {
            throw wrong(what, "'" + text() + "' (expected: " + expected + ")");
        }
    }

    /** The line in which it begins. */
    int line() {
        return node.getStartMark().getLine() + 1;
    }

    private static boolean isEmpty(Node node) {
        return node.getTag().equals(Tag.NULL);
    }

    private ConfigException unlike(String expected) {
        return wrong(place, (isEmpty(node) ? "nothing" : "a " + node.getNodeId()) + " (expected: " + expected + ")");
    }

    /** What is wrong with the value at a place that begins in this line. */
    ConfigException wrong(String at, String reason) {
        return new ConfigException(file + ":" + line() + ": " + (at.isEmpty() ? "" : at + ": ") + reason);
    }
}
