package io.sluice.cassandra.ring;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares the tokens that the driver knows with those of the system tables: the driver learns of nodes that come and
 * go a moment later, never of one that moves, and ignores a node whose row is incomplete. Immutable.
 */
record RingTokens(CqlSession session, TokenMap known) {
    private static final int MOST_NAMED = 3;

    /** Whether the nodes that own tokens, and their tokens, are the known ones now, as one node sees them. */
    boolean areKnown() {
        return differing().isEmpty();
    }

    /** The host ids of the nodes that have other tokens than the driver knows, or that only one of both knows. */
    private Set<UUID> differing() {
        Map<UUID, Set<String>> now = read();
        Map<UUID, Set<String>> ofTheDriver = ofTheDriver();
        Set<UUID> hosts = new TreeSet<>(now.keySet());
        hosts.addAll(ofTheDriver.keySet());
        hosts.removeIf(host -> areSame(now.getOrDefault(host, Set.of()), ofTheDriver.getOrDefault(host, Set.of())));
        return hosts;
    }

    private boolean areSame(Set<String> now, Set<String> ofTheDriver) {
        // Of the only token of a ring the driver knows the owner, not the token.
        boolean isOnlyOne = known.getTokenRanges().size() == 1 && now.size() == 1 && ofTheDriver.size() == 1;
        return isOnlyOne || now.equals(ofTheDriver);
    }

    /**
     * Refuses to work with ranges that nodes do not own any more.
     *
     * @throws StreamException if the nodes have other tokens, or the driver does not know all of them
     */
    void requireKnown() {
        Set<UUID> hosts = differing();
        if (!hosts.isEmpty()) {
            throw new StreamException(
                    ErrorCode.WRONG_PEER,
                    "the ring has changed since we connected to it, or its nodes see different ones, in the tokens of"
                            + " host " + text(hosts)
                            + " (run the command again when nodetool ring shows the same at all nodes, and no row of"
                            + " system.peers_v2 with tokens lacks its native_address, native_port, data_center, rack or"
                            + " schema_version)");
        }
    }

    private static String text(Set<UUID> hosts) {
        String named = hosts.stream().limit(MOST_NAMED).map(UUID::toString).collect(Collectors.joining(", "));
        return hosts.size() > MOST_NAMED ? named + " and " + (hosts.size() - MOST_NAMED) + " more" : named;
    }

    private Map<UUID, Set<String>> ofTheDriver() {
        Map<UUID, Set<String>> tokens = new HashMap<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            var ofNode = known.getTokens(node).stream().map(known::format).collect(Collectors.toSet());
            add(node.getHostId(), ofNode, tokens);
        }
        return tokens;
    }

    /** By host id. The same node answers both queries: each has its own view, and does not name itself in its peers. */
    private Map<UUID, Set<String>> read() {
        ResultSet local = session.execute("SELECT host_id, tokens FROM system.local");
        ResultSet others = session.execute(SimpleStatement.newInstance("SELECT host_id, tokens FROM system.peers_v2")
                .setNode(local.getExecutionInfo().getCoordinator()));
        Map<UUID, Set<String>> tokens = new HashMap<>();
        local.forEach(row -> add(row, tokens));
        others.forEach(row -> add(row, tokens));
        return tokens;
    }

    private static void add(Row row, Map<UUID, Set<String>> tokens) {
        add(row.getUuid(0), row.getSet(1, String.class), tokens);
    }

    /** The first row of a node counts, as for the driver: others, and those without tokens, are left over. */
    private static void add(@Nullable UUID host, @Nullable Set<String> ofHost, Map<UUID, Set<String>> tokens) {
        if (host != null && ofHost != null && !ofHost.isEmpty()) {
            tokens.putIfAbsent(host, ofHost);
        }
    }
}
