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
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Compares the tokens that the driver knows with those of the system tables: the driver learns of nodes that come and
 * go, but not of one that moves. Immutable.
 */
record RingTokens(CqlSession session, TokenMap known) {
    /** Whether each known node has its tokens now, as one node sees it. */
    boolean areKnown() {
        Map<UUID, Set<String>> now = read();
        return session.getMetadata().getNodes().values().stream()
                .allMatch(node -> known(node).equals(now.getOrDefault(node.getHostId(), Set.of())));
    }

    /**
     * Refuses to work with ranges that nodes do not own any more.
     *
     * @throws StreamException if the nodes have other tokens
     */
    void requireKnown() {
        if (!areKnown()) {
            throw new StreamException(
                    ErrorCode.WRONG_PEER,
                    "the ring has changed since we connected to it, or its nodes see different ones: a node has other"
                            + " tokens (run the command again when nodetool ring shows the same at all nodes)");
        }
    }

    private Set<String> known(Node node) {
        return known.getTokens(node).stream().map(known::format).collect(Collectors.toSet());
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
        if (!row.isNull(0)) { // of a peer that is not known well yet
            tokens.put(row.getUuid(0), row.getSet(1, String.class));
        }
    }
}
