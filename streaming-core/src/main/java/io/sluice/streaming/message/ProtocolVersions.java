package io.sluice.streaming.message;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The protocol versions that a node supports. Each end of a control or query connection offers its own, the opener in
 * its {@code Hello}, the other one in its {@code Welcome}; both use the highest common version. A node that offers none
 * supports only {@link #FIRST}, which is older than the negotiation.
 *
 * @param lowest 1 to 255
 * @param highest 1 to 255
 */
public record ProtocolVersions(int lowest, int highest) {
    /** The first negotiated version; {@code Hello} and {@code Welcome} keep its layout in all later ones. */
    public static final int FIRST = 3;

    /** The versions of this node. */
    public static final ProtocolVersions OURS = new ProtocolVersions(FIRST, FIRST);

    private static final int BITS = 8;
    private static final int MASK = (1 << BITS) - 1;

    /** Decodes an offer: two bytes, the lowest version first; 0 if nothing was offered. */
    static ProtocolVersions of(int offer) {
        return offer == 0
                ? new ProtocolVersions(FIRST, FIRST)
                : new ProtocolVersions(offer >>> BITS & MASK, offer & MASK);
    }

    /** Encodes these versions as two bytes. */
    public int offer() {
        return lowest << BITS | highest;
    }

    /** The version to use with a peer that offers {@code other}; empty if there is no common version. */
    public OptionalInt common(ProtocolVersions other) {
        int best = Math.min(highest, other.highest);
        return best >= Math.max(lowest, other.lowest) ? OptionalInt.of(best) : OptionalInt.empty();
    }

    /** Why a node with these versions cannot connect to one with {@code other}; empty if it can. */
    public Optional<String> difference(ProtocolVersions other) {
        return common(other).isPresent()
                ? Optional.empty()
                : Optional.of("supports " + other + " of the protocol (this node: " + this
                        + "); upgrade the older node through a release that supports a common version");
    }

    @Override
    public String toString() {
        return lowest == highest ? "version " + lowest : "versions " + lowest + " to " + highest;
    }
}
