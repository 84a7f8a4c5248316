package io.sluice.streaming.audit;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.store.TableRef;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/** An event for the audit log: who did what, to which tables, with which outcome. Immutable. */
public sealed interface AuditEvent {
    /** Its kind, as {@code connection-accepted}. */
    default String kind() {
        return getClass().getSimpleName().replaceAll("\\B[A-Z]", "-$0").toLowerCase(Locale.ROOT);
    }

    /**
     * The fields of the event by name, in the order in which they are reported. Values may contain any text that a peer
     * sent.
     */
    Map<String, String> fields();

    /**
     * The peer of a connection.
     *
     * @param node the node id that it claims, proved if there is a certificate; empty before its hello
     * @param certificate SHA-256 of its certificate, in hexadecimal
     */
    record Identity(String address, Optional<UUID> node, Optional<String> certificate) {
        /** A peer that has sent nothing yet. */
        public static Identity at(String address) {
            return new Identity(address, Optional.empty(), Optional.empty());
        }

        /** A peer that has sent its hello. */
        public static Identity of(Peer peer) {
            return new Identity(peer.address(), Optional.of(peer.nodeId()), peer.fingerprint());
        }

        private void addTo(Map<String, String> fields) {
            fields.put("address", address);
            node.ifPresent(id -> fields.put("node", id.toString()));
            certificate.ifPresent(print -> fields.put("certificate", print));
        }
    }

    /**
     * A connection was accepted.
     *
     * @param role what the connection is for: {@code CONTROL}, {@code DATA}, {@code QUERY}
     * @param unreported number of suppressed events of this kind and address since the last one
     */
    record ConnectionAccepted(Identity who, UUID planId, String role, int unreported) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            return counted(plus(fieldsOf(who), "plan", planId, "role", role), unreported);
        }
    }

    /** A connection was refused. */
    record ConnectionRefused(Identity who, ErrorCode code, String reason, int unreported) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            return counted(plus(fieldsOf(who), "result", code, "reason", reason), unreported);
        }
    }

    /**
     * A plan of this node begins to fetch.
     *
     * @param ranges of all tables together
     */
    record PlanOpened(UUID planId, String operation, List<TableRef> tables, int ranges, List<UUID> sources)
            implements AuditEvent {
        public PlanOpened {
            tables = List.copyOf(tables);
            sources = List.copyOf(sources);
        }

        @Override
        public Map<String, String> fields() {
            Map<String, String> fields = plus(new LinkedHashMap<>(), "plan", planId, "operation", operation);
            return plus(fields, "tables", joined(tables), "ranges", ranges, "sources", joined(sources));
        }
    }

    /** A plan of this node has ended: {@code complete}, or why not. */
    record PlanEnded(UUID planId, long bytes, String result) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            return plus(new LinkedHashMap<>(), "plan", planId, "bytes", bytes, "result", result);
        }
    }

    /** A session in which this node sends has begun: a peer's plan fetches from here. */
    record SessionOpened(Identity who, UUID planId, int session) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            return plus(fieldsOf(who), "plan", planId, "session", session);
        }
    }

    /** The end of such a session. */
    record SessionEnded(Identity who, UUID planId, int session, long bytes, String result) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            return plus(fieldsOf(who), "plan", planId, "session", session, "bytes", bytes, "result", result);
        }
    }

    /**
     * A request of a peer for a table.
     *
     * @param action {@code fetch}, {@code offer}, {@code query}
     */
    record TableAccess(UUID planId, String action, TableRef table, int ranges) {
        private void addTo(Map<String, String> fields) {
            plus(fields, "plan", planId, "action", action, "table", table, "ranges", ranges);
        }
    }

    /** A request of a peer was granted. */
    record Authorized(Identity who, TableAccess wish) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            Map<String, String> fields = fieldsOf(who);
            wish.addTo(fields);
            return fields;
        }
    }

    /**
     * A request of a peer was denied.
     *
     * @param wish empty if the peer may no longer connect at all
     */
    record Denied(Identity who, Optional<TableAccess> wish, String reason) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            Map<String, String> fields = fieldsOf(who);
            wish.ifPresent(it -> it.addTo(fields));
            return plus(fields, "reason", reason);
        }
    }

    /** The fetched data of a table is live. */
    record Installed(UUID planId, TableRef table, int sstables, long bytes) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            return plus(new LinkedHashMap<>(), "plan", planId, "table", table, "sstables", sstables, "bytes", bytes);
        }
    }

    /** A plan of this node was cancelled. */
    record Cancelled(UUID planId, String reason) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            return plus(new LinkedHashMap<>(), "plan", planId, "reason", reason);
        }
    }

    /**
     * An administrator has given an order.
     *
     * @param who as the embedder knows it
     * @param what the order and its object
     * @param result {@code done}, or why not
     */
    record Administered(String who, String what, String result) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            return plus(new LinkedHashMap<>(), "who", who, "order", what, "result", result);
        }
    }

    /**
     * A peer violated the protocol repeatedly and was put on hold.
     *
     * @param seconds duration of the hold
     */
    record PutOnHold(Identity who, long seconds, String reason) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            return plus(fieldsOf(who), "seconds", seconds, "reason", reason);
        }
    }

    /**
     * Events that were not recorded because peers caused too many within a minute: those beyond the total, and those of
     * one kind and address if events of that kind have no {@code unreported} of their own.
     *
     * @param address of the peer that caused them; empty for those beyond the total
     * @param suppressedKind their {@link #kind}; empty for those beyond the total, which are of any kind
     * @param unreported the number of them since the last such event, at least 1
     */
    record Suppressed(Optional<String> address, Optional<String> suppressedKind, int unreported) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            Map<String, String> fields = new LinkedHashMap<>();
            address.ifPresent(it -> fields.put("address", it));
            suppressedKind.ifPresent(it -> fields.put("kind", it));
            return counted(fields, unreported);
        }
    }

    private static Map<String, String> fieldsOf(Identity who) {
        Map<String, String> fields = new LinkedHashMap<>();
        who.addTo(fields);
        return fields;
    }

    private static Map<String, String> counted(Map<String, String> fields, int unreported) {
        return unreported > 0 ? plus(fields, "unreported", unreported) : fields;
    }

    private static Map<String, String> plus(Map<String, String> fields, Object... namesAndValues) {
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put(String.valueOf(namesAndValues[i]), String.valueOf(namesAndValues[i + 1]));
        }
        return fields;
    }

    private static String joined(List<?> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
