package io.sluice.streaming.ring;

/** What may change about a node while it stays the same node. Immutable. */
public record NodeStatus(Location location, Membership membership, boolean isUp) {
    /** Up, a normal member, in a place of which nothing is known. */
    public static final NodeStatus NORMAL = new NodeStatus(Location.UNKNOWN, new Membership.Normal(), true);
}
