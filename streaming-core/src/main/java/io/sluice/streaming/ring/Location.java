package io.sluice.streaming.ring;

/** Where a node stands: its data centre and its rack in it. Racks of two data centres are never the same. Immutable. */
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
