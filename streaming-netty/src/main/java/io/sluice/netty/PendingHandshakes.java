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
 * Connections whose handshake is not complete: how many there may be, and which one gives way when there would be one
 * too many. A newer connection is never refused for an older one that has not said who it is: whoever is honest is done
 * in milliseconds. Thread-safe.
 *
 * @param <C> a connection, compared by identity
 */
final class PendingHandshakes<C> {
    /** An address that has more than one in so many of a room gives way first. */
    private static final int SHARES = 8;

    /** What is known of the other end before it has said who it is; each kind has room of its own. */
    enum Kind {
        /** Its address is on hold: whoever shares that may still show a certificate. */
        HELD,
        /** Nothing. */
        UNKNOWN,
        /** It has sent a whole ClientHello, which those that only want to be in the way do not do. */
        GREETED,
        /** Its address is that of a peer. */
        PEER_ADDRESS,
        /** It has shown a certificate that is trusted. */
        CERTIFIED
    }

    /** How many there may be of each kind: in all, and of one address. */
    record Limits(int held, int unknown, int greeted, int peerAddresses, int certified, int ofAnAddress) {
        int inAll() {
            return held + unknown + greeted + peerAddresses + certified;
        }
    }

    private record QueueSlot<C>(KindQueue<C> queue, String address) {}

    /** Connections of one kind, by address, the oldest first, each with its place in the order of all. */
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
         * The oldest of its address if that has as many as it may. Else, if there are too many in all, the oldest one;
         * but of the busiest address if that has more than its share.
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

        /** Of an address that has some. */
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
        return Objects.requireNonNull(queues.get(kind), "each kind has a room");
    }

    /** Takes {@code connection} in, and returns the one that is to be closed for it, if there is one too many. */
    synchronized Optional<C> enter(C connection, String address, Kind kind) {
        KindQueue<C> queue = queue(kind);
        Optional<C> victim = queue.victim(address);
        victim.ifPresent(this::leave);
        places.put(connection, new QueueSlot<>(queue, address));
        queue.add(connection, address, entered++);
        return victim;
    }

    /**
     * More is known of {@code connection}: it moves to the room of its new kind, where it is the newest.
     *
     * @return the one that is to be closed for it; empty, too, if {@code connection} has left meanwhile
     */
    synchronized Optional<C> become(C connection, Kind kind) {
        QueueSlot<C> place = places.get(connection);
        if (place == null || place.queue() == queue(kind)) {
            return Optional.empty();
        }
        leave(connection);
        return enter(connection, place.address(), kind);
    }

    /** It has completed its handshake, or is gone; returns whether it was here. */
    synchronized boolean leave(C connection) {
        QueueSlot<C> place = places.remove(connection);
        if (place == null) {
            return false;
        }
        place.queue().remove(connection, place.address());
        return true;
    }
}
