package io.sluice.streaming.message;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The versions of the protocol that a node speaks. Each end of a control or query connection offers its own, the opener
 * in its {@code Hello}, the other one in its {@code Welcome}; both speak the highest that they have in common. Who is
 * not known to speak anything else speaks {@link #FIRST}: it is from before versions were offered.
 *
 * @param lowest 1 to 255
 * @param highest 1 to 255
 */
public record ProtocolVersions(int lowest, int highest) {
    /** The first version that is negotiated; {@code Hello} and {@code Welcome} keep its layout in all that follow. */
    public static final int FIRST = 3;

    /** What this node speaks. */
    public static final ProtocolVersions OURS = new ProtocolVersions(FIRST, FIRST);

    private static final int BITS = 8;
    private static final int MASK = (1 << BITS) - 1;

    /** What an offer means: two bytes, the lowest version first; 0 if nothing was offered. */
    static ProtocolVersions of(int offer) {
        return offer == 0
                ? new ProtocolVersions(FIRST, FIRST)
                : new ProtocolVersions(offer >>> BITS & MASK, offer & MASK);
    }

    /** These versions as two bytes. */
    public int offer() {
        return lowest << BITS | highest;
    }

    /** The version that is spoken with a peer that offers {@code other}; empty if there is none. */
    public OptionalInt common(ProtocolVersions other) {
        int best = Math.min(highest, other.highest);
        return best >= Math.max(lowest, other.lowest) ? OptionalInt.of(best) : OptionalInt.empty();
    }

    /** Why a node that speaks these versions cannot talk to one that speaks {@code other}; empty if it can. */
    public Optional<String> difference(ProtocolVersions other) {
        return common(other).isPresent()
                ? Optional.empty()
                : Optional.of("speaks " + other + " of the protocol (this node: " + this
                        + "); upgrade the older node by way of a release that speaks a version of both");
    }

    @Override
    public String toString() {
        return lowest == highest ? "version " + lowest : "versions " + lowest + " to " + highest;
    }
}
