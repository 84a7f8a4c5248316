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

/** Something that an auditor wants to know: who did what, to which tables, and the outcome. Immutable. */
public sealed interface AuditEvent {
    /** Its kind, as {@code connection-accepted}. */
    default String kind() {
        return getClass().getSimpleName().replaceAll("\\B[A-Z]", "-$0").toLowerCase(Locale.ROOT);
    }

    /** What there is to know, by name, in the order in which it is reported. Values may hold whatever a peer says. */
    Map<String, String> fields();

    /**
     * Who is at the other end.
     *
     * @param node the node that it says it is; proved if there is a certificate. Empty before it has said so
     * @param certificate SHA-256 of the certificate that it has shown, in hexadecimal
     */
    record Identity(String address, Optional<UUID> node, Optional<String> certificate) {
        /** One that has said nothing yet. */
        public static Identity at(String address) {
            return new Identity(address, Optional.empty(), Optional.empty());
        }

        /** One that has said hello. */
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
     * A peer was let in.
     *
     * @param role what the connection is for: {@code CONTROL}, {@code DATA}, {@code QUERY}
     * @param unreported like it, of this address, that were only counted since the last one
     */
    record ConnectionAccepted(Identity who, UUID planId, String role, int unreported) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            return counted(plus(fieldsOf(who), "plan", planId, "role", role), unreported);
        }
    }

    /** A connection was not let in. */
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
     * What a peer wants of a table.
     *
     * @param action {@code fetch}, {@code offer}, {@code query}
     */
    record TableAccess(UUID planId, String action, TableRef table, int ranges) {
        private void addTo(Map<String, String> fields) {
            plus(fields, "plan", planId, "action", action, "table", table, "ranges", ranges);
        }
    }

    /** A peer may have what it wants. */
    record Authorized(Identity who, TableAccess wish) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            Map<String, String> fields = fieldsOf(who);
            wish.addTo(fields);
            return fields;
        }
    }

    /**
     * A peer may not.
     *
     * @param wish empty if it may not even be connected any more
     */
    record Denied(Identity who, Optional<TableAccess> wish, String reason) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            Map<String, String> fields = fieldsOf(who);
            wish.ifPresent(it -> it.addTo(fields));
            return plus(fields, "reason", reason);
        }
    }

    /** What was fetched of a table is live. */
    record Installed(UUID planId, TableRef table, int sstables, long bytes) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            return plus(new LinkedHashMap<>(), "plan", planId, "table", table, "sstables", sstables, "bytes", bytes);
        }
    }

    /** Somebody has ended a plan of this node. */
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
     * @param what the order, and what it is about
     * @param result {@code done}, or why not
     */
    record Administered(String who, String what, String result) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            return plus(new LinkedHashMap<>(), "who", who, "order", what, "result", result);
        }
    }

    /**
     * Somebody has violated the protocol again and again, and is not let in for a while.
     *
     * @param seconds from now on
     */
    record PutOnHold(Identity who, long seconds, String reason) implements AuditEvent {
        @Override
        public Map<String, String> fields() {
            return plus(fieldsOf(who), "seconds", seconds, "reason", reason);
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
