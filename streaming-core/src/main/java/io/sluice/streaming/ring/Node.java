package io.sluice.streaming.ring;

import io.sluice.sstable.token.Token;
import io.sluice.streaming.ring.Node.Location;
import java.util.List;
import java.util.UUID;

/**
 * A member of the ring. Two nodes are equal iff their ids are equal. Immutable.
 *
 * @param id never reused; a replacement has an id of its own
 * @param name human-readable, in logs and reports
 * @param tokens ascending; none for a node that holds tablets only
 */
public record Node(UUID id, String name, Address address, List<Token> tokens, Status status) {
    public Node {
        tokens = tokens.stream().sorted().toList();
    }

    /** A normal member that is up, at an unknown location. */
    public Node(UUID id, String name, Address address, List<Token> tokens) {
        this(id, name, address, tokens, Status.NORMAL);
    }

    /** Its location. */
    public Location location() {
        return status.location();
    }

    /** Its membership. */
    public Membership membership() {
        return status.membership();
    }

    /** Whether it can be reached now. */
    public boolean isUp() {
        return status.isUp();
    }

    /** A copy at this location. */
    public Node in(String dc, String rack) {
        return with(new Status(new Location(dc, rack), membership(), isUp()));
    }

    /** A copy with this membership. */
    public Node as(Membership membership) {
        return with(new Status(location(), membership, isUp()));
    }

    /** A copy that is down. */
    public Node down() {
        return with(new Status(location(), membership(), false));
    }

    /** A copy with other tokens. */
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

    /** The location of a node: its data centre and rack. Racks of two data centres are never the same. Immutable. */
    public record Location(String dc, String rack) {
        /** The default location of a node. */
        public static final Location UNKNOWN = new Location("datacenter1", "rack1");

        public Location {
            if (dc.isBlank() || rack.isBlank()) {
                throw new IllegalArgumentException("location: '" + dc + "' '" + rack + "' (expected: a DC and a rack)");
            }
        }

        // Written out as in Token.
        @Override
        public boolean equals(Object other) {
            return other instanceof Location location && location.dc.equals(dc) && location.rack.equals(rack);
        }

        @Override
        public int hashCode() {
            return 31 * dc.hashCode() + rack.hashCode();
        }

        /** The distance to {@code other}: 0 within a rack, 1 within a data centre, 2 beyond. */
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

    /** The mutable properties of a node. Immutable. */
    public record Status(Location location, Membership membership, boolean isUp) {
        /** Up, a normal member, at an unknown location. */
        public static final Status NORMAL = new Status(Location.UNKNOWN, new Membership.Normal(), true);
    }
}
