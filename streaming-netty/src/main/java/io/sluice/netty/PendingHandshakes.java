package io.sluice.netty;

import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The pre-handshake connections: limits their number, and chooses which one is closed when there is one too many. A new
 * connection is never refused in favour of an older one that has not completed its handshake: an honest peer needs only
 * milliseconds. Thread-safe.
 *
 * @param <C> a connection, compared by identity
 */
final class PendingHandshakes<C> {
    /** An address that has more than this fraction of a quota loses connections first. */
    private static final int SHARES = 8;

    /** What is known about the other end before its hello; each kind has a quota of its own. */
    enum Kind {
        /** Its address is on hold; another peer with the same address may still show a certificate. */
        HELD,
        /** Nothing is known. */
        UNKNOWN,
        /** It has sent a whole ClientHello, unlike connections that only occupy a slot. */
        GREETED,
        /** Its address belongs to a known peer. */
        PEER_ADDRESS,
        /** It has shown a trusted certificate. */
        CERTIFIED
    }

    /** The maximum number of connections of each kind, and from one address. */
    record Limits(int held, int unknown, int greeted, int peerAddresses, int certified, int ofAnAddress) {
        int inAll() {
            return held + unknown + greeted + peerAddresses + certified;
        }
    }

    private record QueueSlot<C>(KindQueue<C> queue, String address) {}

    /** Connections of one kind, by address, the oldest first, each with its sequence number. */
    private static final class KindQueue<C> {
        final int limit;
        final int limitOfAnAddress;
        final Map<String, LinkedHashMap<C, Long>> byAddress = new HashMap<>();
        int count;

        KindQueue(int limit, int limitOfAnAddress) {
            this.limit = limit;
            this.limitOfAnAddress = limitOfAnAddress;
        }

        void add(C connection, String address, long order) {
            byAddress.computeIfAbsent(address, any -> new LinkedHashMap<>()).put(connection, order);
            count++;
        }

        void remove(C connection, String address) {
            byAddress.computeIfPresent(address, (any, connections) -> {
                connections.remove(connection);
                return connections.isEmpty() ? null : connections;
            });
            count--;
        }

        /**
         * The oldest connection of {@code address} if the address is at its limit. Otherwise, if there are too many in
         * total, the oldest of all, or of the busiest address if that has more than its share.
         */
        Optional<C> victim(String address) {
            LinkedHashMap<C, Long> own = byAddress.get(address);
            if (own != null && own.size() >= limitOfAnAddress) {
                return Optional.of(oldest(own).getKey());
            }
            if (count < limit) {
                return Optional.empty();
            }
            LinkedHashMap<C, Long> busiest = Collections.max(byAddress.values(), Comparator.comparingInt(Map::size));
            if (busiest.size() > limit / SHARES) {
                return Optional.of(oldest(busiest).getKey());
            }
            return byAddress.values().stream()
                    .map(KindQueue::oldest)
                    .min(Map.Entry.comparingByValue())
                    .map(Map.Entry::getKey);
        }

        /** The oldest connection of an address that has at least one. */
        private static <C> Map.Entry<C, Long> oldest(Map<C, Long> connections) {
            return connections.entrySet().iterator().next();
        }
    }

    private final Limits limits;
    private final Map<Kind, KindQueue<C>> queues = new EnumMap<>(Kind.class);
    private final Map<C, QueueSlot<C>> places = new HashMap<>();
    private long entered;

    PendingHandshakes(Limits limits) {
        this.limits = limits;
        add(Kind.HELD, limits.held());
        add(Kind.UNKNOWN, limits.unknown());
        add(Kind.GREETED, limits.greeted());
        add(Kind.PEER_ADDRESS, limits.peerAddresses());
        add(Kind.CERTIFIED, limits.certified());
    }

    private void add(Kind kind, int limit) {
        queues.put(kind, new KindQueue<>(limit, limits.ofAnAddress()));
    }

    synchronized int count() {
        return places.size();
    }

    int limit() {
        return limits.inAll();
    }

    private KindQueue<C> queue(Kind kind) {
        return Objects.requireNonNull(queues.get(kind), "each kind has a quota");
    }

    /** Adds {@code connection}, and returns the connection to close in its place if there is one too many. */
    synchronized Optional<C> enter(C connection, String address, Kind kind) {
        KindQueue<C> queue = queue(kind);
        Optional<C> victim = queue.victim(address);
        victim.ifPresent(this::leave);
        places.put(connection, new QueueSlot<>(queue, address));
        queue.add(connection, address, entered++);
        return victim;
    }

    /**
     * More is known about {@code connection}: it moves to the quota of its new kind, as the newest.
     *
     * @return the connection to close in its place; also empty if {@code connection} has left meanwhile
     */
    synchronized Optional<C> become(C connection, Kind kind) {
        QueueSlot<C> place = places.get(connection);
        if (place == null || place.queue() == queue(kind)) {
            return Optional.empty();
        }
        leave(connection);
        return enter(connection, place.address(), kind);
    }

    /** Removes a connection that has completed its handshake or is closed; returns whether it was present. */
    synchronized boolean leave(C connection) {
        QueueSlot<C> place = places.remove(connection);
        if (place == null) {
            return false;
        }
        place.queue().remove(connection, place.address());
        return true;
    }
}
