package io.sluice.streaming.access;

import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The peers that are refused for a while because they violated the protocol repeatedly: identified by certificate if
 * they showed one, otherwise by address (for IPv6 by its /64 network). Remembers at most {@value #MOST} of each, and
 * forgets those with the oldest violations first. Thread-safe.
 */
public final class Holds {
    /** The maximum number of certificates, and of addresses. */
    static final int MOST = 1_000;

    private static final int NETWORK_BYTES = 8;

    private final Rules rules;
    private final LongSupplier nanoTime;
    private final Map<Culprit, Conduct> certificates = new LinkedHashMap<>();
    private final Map<Culprit, Conduct> addresses = new LinkedHashMap<>();

    /**
     * When a peer is put on hold, and for how long: {@code first}, doubled each time, at most {@code longest}. After
     * {@code longest} without a violation, the time on hold not included, counting starts again.
     *
     * @param violations within {@code window}; 0 for never
     */
    public record Rules(int violations, Duration window, Duration first, Duration longest) {
        /** After three violations within ten minutes, for one minute up to one hour. */
        public static final Rules DEFAULTS =
                new Rules(3, Duration.ofMinutes(10), Duration.ofMinutes(1), Duration.ofHours(1));

        /** A copy with another number of violations. */
        public Rules after(int count) {
            return new Rules(count, window, first, longest);
        }
    }

    /** The certificate or address that a hold applies to. Immutable. */
    public record Culprit(boolean isCertificate, String name) {
        /** The certificate of {@code peer}; its address if it has none. */
        public static Culprit of(AuditEvent.Identity peer) {
            return peer.certificate().map(print -> new Culprit(true, print)).orElseGet(() -> address(peer.address()));
        }

        /** An IPv4 address, or the network of an IPv6 address. */
        public static Culprit address(String ip) {
            byte[] bytes = ip.indexOf(':') < 0 ? new byte[0] : bytes(ip.replaceFirst("%.*", ""));
            return new Culprit(false, bytes.length <= NETWORK_BYTES ? ip : network(bytes));
        }

        /** The bytes of an IPv6 literal, which needs no name lookup. */
        private static byte[] bytes(String ip) {
            try {
                return InetAddress.getByName(ip).getAddress();
            } catch (UnknownHostException noAddress) {
                return new byte[0];
            }
        }

        private static String network(byte[] bytes) {
            StringBuilder name = new StringBuilder();
            for (int i = 0; i < NETWORK_BYTES; i += 2) {
                name.append(String.format(Locale.ROOT, "%x:", ((bytes[i] & 0xff) << 8) | (bytes[i + 1] & 0xff)));
            }
            return name.append(":/64").toString();
        }

        /** The name that operators use: {@code certificate 3fa9...} or {@code address 10.0.0.7}. */
        @Override
        public String toString() {
            return (isCertificate ? "certificate " : "address ") + name;
        }
    }

    /**
     * A hold that is in effect.
     *
     * @param who as {@link Culprit#toString}
     * @param times number of consecutive holds
     * @param left remaining time
     * @param reason the latest violation
     */
    public record Hold(String who, int times, Duration left, String reason) {}

    /** The violations of one culprit. Guarded by the {@link Holds}. */
    private static final class Conduct {
        final Deque<Long> recent = new ArrayDeque<>();
        String reason = "";
        boolean isHeld;
        long untilNanos;
        /** The last violation, or the end of the hold that began with it. */
        long quietSinceNanos;

        int times;
    }

    /** @param nanoTime as {@link System#nanoTime} */
    public Holds(Rules rules, LongSupplier nanoTime) {
        this.rules = rules;
        this.nanoTime = nanoTime;
    }

    private Map<Culprit, Conduct> recordsOf(Culprit who) {
        return who.isCertificate() ? certificates : addresses;
    }

    /**
     * Records a violation.
     *
     * @return the hold that begins with it
     */
    synchronized Optional<Hold> violated(Culprit who, String reason) {
        if (rules.violations() == 0) {
            return Optional.empty();
        }
        long now = nanoTime.getAsLong();
        Map<Culprit, Conduct> records = recordsOf(who);
        Conduct known = records.remove(who);
        Conduct record = known == null ? new Conduct() : known;
        if (records.size() >= MOST) {
            records.remove(records.keySet().iterator().next());
        }
        records.put(who, record); // moves it to the end
        record.reason = reason;
        if (isOn(record, now)) {
            return Optional.empty(); // it was in flight when the hold began
        }
        if (record.isHeld && now - record.quietSinceNanos >= rules.longest().toNanos()) {
            record.isHeld = false;
            record.times = 0;
        }
        record.quietSinceNanos = now;
        while (!record.recent.isEmpty()
                && now - record.recent.getFirst() >= rules.window().toNanos()) {
            record.recent.removeFirst();
        }
        record.recent.addLast(now);
        if (record.recent.size() < rules.violations()) {
            return Optional.empty();
        }
        record.recent.removeFirst();
        record.isHeld = true;
        record.untilNanos = now + length(record.times).toNanos();
        record.quietSinceNanos = record.untilNanos;
        record.times++;
        return Optional.of(hold(who, record, now));
    }

    private Duration length(int before) {
        Duration length = rules.first();
        for (int i = 0; i < before && length.compareTo(rules.longest()) < 0; i++) {
            length = length.multipliedBy(2);
        }
        return length.compareTo(rules.longest()) < 0 ? length : rules.longest();
    }

    private static boolean isOn(@Nullable Conduct record, long now) {
        return record != null && record.isHeld && record.untilNanos - now > 0;
    }

    private static Hold hold(Culprit who, Conduct record, long now) {
        return new Hold(who.toString(), record.times, Duration.ofNanos(record.untilNanos - now), record.reason);
    }

    /** The hold that {@code who} is on, if any. */
    public synchronized Optional<Hold> of(Culprit who) {
        long now = nanoTime.getAsLong();
        Conduct record = recordsOf(who).get(who);
        return record == null || !isOn(record, now) ? Optional.empty() : Optional.of(hold(who, record, now));
    }

    /** All current holds. */
    public synchronized List<Hold> all() {
        long now = nanoTime.getAsLong();
        List<Hold> all = new ArrayList<>();
        Stream.of(certificates, addresses)
                .flatMap(records -> records.entrySet().stream())
                .filter(entry -> isOn(entry.getValue(), now))
                .forEach(entry -> all.add(hold(entry.getKey(), entry.getValue(), now)));
        return all;
    }

    /**
     * Ends a hold, and forgets the violations that caused it.
     *
     * @param who as {@link Hold} names it
     * @return whether it was on hold
     */
    public synchronized boolean clear(String who) {
        long now = nanoTime.getAsLong();
        for (Map<Culprit, Conduct> records : List.of(certificates, addresses)) {
            for (Map.Entry<Culprit, Conduct> entry : records.entrySet()) {
                if (entry.getKey().toString().equals(who)) {
                    boolean wasOn = isOn(entry.getValue(), now);
                    records.remove(entry.getKey());
                    return wasOn;
                }
            }
        }
        return false;
    }

    /** The number of peers on hold. */
    public QueueSample sample() {
        return new QueueSample("holds", "peers", all().size(), 2L * MOST);
    }
}
