package io.sluice.streaming.ring;

import io.sluice.sstable.token.Token;
import java.util.List;
import java.util.UUID;

/**
 * A member of the ring. Two nodes are the same iff their ids are, whatever else is known of them. Immutable.
 *
 * @param id unique for ever; a replacement has an id of its own
 * @param name for people, in logs and reports
 * @param tokens ascending; none for a node that holds tablets only
 */
public record Node(UUID id, String name, Address address, List<Token> tokens, NodeStatus status) {
    public Node {
        tokens = tokens.stream().sorted().toList();
    }

    /** A normal member that is up, in a place of which nothing is known. */
    public Node(UUID id, String name, Address address, List<Token> tokens) {
        this(id, name, address, tokens, NodeStatus.NORMAL);
    }

    /** Where it stands. */
    public Location location() {
        return status.location();
    }

    /** How it belongs to the ring. */
    public Membership membership() {
        return status.membership();
    }

    /** Whether it can be talked to now. */
    public boolean isUp() {
        return status.isUp();
    }

    /** The same node, in this place. */
    public Node in(String dc, String rack) {
        return with(new NodeStatus(new Location(dc, rack), membership(), isUp()));
    }

    /** The same node, as this kind of member. */
    public Node as(Membership membership) {
        return with(new NodeStatus(location(), membership, isUp()));
    }

    /** The same node, not to be talked to. */
    public Node down() {
        return with(new NodeStatus(location(), membership(), false));
    }

    /** The same node with other tokens. */
    public Node withTokens(List<Token> others) {
        return new Node(id, name, address, others, status);
    }

    private Node with(NodeStatus other) {
        return new Node(id, name, address, tokens, other);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Node that && id.equals(that.id);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    @Override
    public String toString() {
        return name;
    }
}
