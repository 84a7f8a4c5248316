package io.sluice.streaming.ring;

import io.sluice.sstable.token.Token;
import io.sluice.streaming.ring.Node.Location;
import java.util.List;
import java.util.UUID;

/**
 * A member of the ring. Two nodes are the same iff their ids are, whatever else is known of them. Immutable.
 *
 * @param id unique for ever; a replacement has an id of its own
 * @param name human-readable, in logs and reports
 * @param tokens ascending; none for a node that holds tablets only
 */
public record Node(UUID id, String name, Address address, List<Token> tokens, Status status) {
    public Node {
        tokens = tokens.stream().sorted().toList();
    }

    /** A normal member that is up, in a place of which nothing is known. */
    public Node(UUID id, String name, Address address, List<Token> tokens) {
        this(id, name, address, tokens, Status.NORMAL);
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
        return with(new Status(new Location(dc, rack), membership(), isUp()));
    }

    /** The same node, as this kind of member. */
    public Node as(Membership membership) {
        return with(new Status(location(), membership, isUp()));
    }

    /** The same node, not to be talked to. */
    public Node down() {
        return with(new Status(location(), membership(), false));
    }

    /** The same node with other tokens. */
    public Node withTokens(List<Token> others) {
        return new Node(id, name, address, others, status);
    }

    private Node with(Status other) {
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

    /**
     * Where a node stands: its data centre and its rack in it. Racks of two data centres are never the same. Immutable.
     */
    public record Location(String dc, String rack) {
        /** Where a node stands of which nothing else is known. */
        public static final Location UNKNOWN = new Location("datacenter1", "rack1");

        public Location {
            if (dc.isBlank() || rack.isBlank()) {
                throw new IllegalArgumentException("location: '" + dc + "' '" + rack + "' (expected: a DC and a rack)");
            }
        }

        /** How far bytes from here to {@code other} travel: 0 within a rack, 1 within a data centre, 2 beyond. */
        public int distanceTo(Location other) {
            if (!dc.equals(other.dc)) {
                return 2;
            }
            return rack.equals(other.rack) ? 0 : 1;
        }

        @Override
        public String toString() {
            return dc + ":" + rack;
        }
    }

    /** What may change about a node while it stays the same node. Immutable. */
    public record Status(Location location, Membership membership, boolean isUp) {
        /** Up, a normal member, in a place of which nothing is known. */
        public static final Status NORMAL = new Status(Location.UNKNOWN, new Membership.Normal(), true);
    }
}
