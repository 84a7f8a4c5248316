package io.sluice.streaming.ring;

import io.sluice.sstable.token.Token;
import java.util.Arrays;
import java.util.List;

/** All tokens of the ring, ascending, each with the number of the node that has it. Immutable. */
final class TokenTable {
    private final List<Node> nodes;
    private final long[] tokens;
    private final int[] owners;

    private TokenTable(List<Node> nodes, long[] tokens, int[] owners) {
        this.nodes = nodes;
        this.tokens = tokens;
        this.owners = owners;
    }

    /** The tokens of the nodes that hold their ranges. */
    static TokenTable of(List<Node> nodes) {
        long[] tokens = nodes.stream()
                .filter(node -> node.membership().holdsItsRanges())
                .flatMap(node -> node.tokens().stream())
                .mapToLong(Token::value)
                .sorted()
                .toArray();
        int[] owners = new int[tokens.length];
        Arrays.fill(owners, -1);
        for (int number = 0; number < nodes.size(); number++) {
            Node node = nodes.get(number);
            if (node.membership().holdsItsRanges()) {
                own(node, number, nodes, tokens, owners);
            }
        }
        return new TokenTable(nodes, tokens, owners);
    }

    List<Node> nodes() {
        return nodes;
    }

    /** Not to be changed. */
    long[] tokens() {
        return tokens;
    }

    /** The number of the node that has each token. Not to be changed. */
    int[] owners() {
        return owners;
    }

    private static void own(Node node, int number, List<Node> nodes, long[] tokens, int[] owners) {
        for (Token token : node.tokens()) {
            int at = Arrays.binarySearch(tokens, token.value());
            if (owners[at] >= 0) {
                throw new IllegalArgumentException(
                        "ring: token " + token + " belongs to " + nodes.get(owners[at]) + " and " + node);
            }
            owners[at] = number;
        }
    }
}
