package io.sluice.harness.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.internal.core.loadbalancing.BasicLoadBalancingPolicy;
import io.sluice.cassandra.net.CassandraTls;
import io.sluice.cassandra.ring.CqlCluster;
import io.sluice.cassandra.ring.CqlFailure;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * A CQL session with a cluster, to set up and look at it. The node that was named answers all, also by an address that
 * the cluster does not know. Thread-safe; closed by whoever opened it.
 */
public final class Cql implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final CqlSession session;
    private final UUID hostId;

    private Cql(CqlSession session, UUID hostId) {
        this.session = session;
        this.hostId = hostId;
    }

    private Node contact() throws IOException {
        Node node = session.getMetadata().getNodes().get(hostId);
        if (node == null) {
            throw new IOException("node " + hostId
                    + ", which CQL was to ask, has left the ring (expected: one that stays;" + " name another one)");
        }
        return node;
    }

    /** The one that is reached by an address: its own, as {@code rpc_address}, may be another one. */
    static UUID hostId(Map<UUID, Node> nodes, InetSocketAddress address) throws IOException {
        return nodes.entrySet().stream()
                .filter(node -> node.getValue().getEndPoint().resolve().equals(address))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new IOException("no node of the ring is reached by CQL at " + address
                        + " (expected: an address of one node alone; it has " + nodes.values() + ")"));
    }

    /** Connects with a cluster through one of its nodes. */
    public static Cql connect(InetSocketAddress node) throws IOException {
        return connect(
                node,
                Optional.empty(),
                Optional.empty(),
                failure -> " (expected: a running node, see ./sluice cassandra status)");
    }

    /**
     * Connects with a cluster that may want a login, or TLS.
     *
     * @throws IOException with the reason, if the node does not let us in
     */
    public static Cql connect(
            InetSocketAddress node, Optional<CqlCluster.Credentials> login, Optional<CassandraTls> tls)
            throws IOException {
        return connect(node, login, tls, failure -> failure.advice("--cql-", login.isPresent(), tls.isPresent()));
    }

    private static Cql connect(
            InetSocketAddress node,
            Optional<CqlCluster.Credentials> login,
            Optional<CassandraTls> tls,
            Function<CqlFailure, String> advice)
            throws IOException {
        CqlSessionBuilder builder = CqlSession.builder().addContactPoint(node).withConfigLoader(settings());
        login.ifPresent(known -> builder.withAuthCredentials(known.user(), known.password()));
        if (tls.isPresent()) {
            builder.withSslEngineFactory(CqlCluster.encryption(tls.get()));
        }
        try {
            CqlSession session = builder.build();
            try {
                return new Cql(session, hostId(session.getMetadata().getNodes(), node));
            } catch (IOException e) {
                session.close();
                throw e;
            }
        } catch (DriverException e) {
            CqlFailure failure = CqlFailure.of(e);
            throw new IOException(
                    "no CQL connection with " + Address.text(node.getHostString(), node.getPort()) + ": "
                            + failure.reason() + advice.apply(failure),
                    e);
        }
    }

    private static DriverConfigLoader settings() {
        return DriverConfigLoader.programmaticBuilder()
                .withClass(DefaultDriverOption.LOAD_BALANCING_POLICY_CLASS, BasicLoadBalancingPolicy.class)
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, TIMEOUT)
                .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, TIMEOUT)
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, TIMEOUT)
                // Nothing here asks for it, and after each change it would be awaited for a second.
                .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                .withString(DefaultDriverOption.PROTOCOL_VERSION, "V5")
                .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0)
                .build();
    }

    /**
     * What a statement answers.
     *
     * @param columns their names; none if there are no rows to it
     * @param rows values as CQL literals
     */
    public record Answer(List<String> columns, List<List<String>> rows) {
        public Answer {
            columns = List.copyOf(columns);
            rows = List.copyOf(rows);
        }
    }

    /**
     * Executes a statement.
     *
     * @throws IOException with what the node says, if it refuses
     */
    public Answer execute(String statement) throws IOException {
        try {
            // One node answers all: it has seen its own changes, which another may not have.
            ResultSet results =
                    session.execute(SimpleStatement.newInstance(statement).setNode(contact()));
            List<String> columns = new ArrayList<>();
            results.getColumnDefinitions()
                    .forEach(column -> columns.add(column.getName().asInternal()));
            List<List<String>> rows = new ArrayList<>();
            for (Row row : results) {
                rows.add(literals(row));
            }
            return new Answer(columns, rows);
        } catch (DriverException e) {
            throw new IOException(statement.strip() + ": " + e.getMessage(), e);
        }
    }

    private static List<String> literals(Row row) {
        List<String> literals = new ArrayList<>();
        for (int i = 0; i < row.size(); i++) {
            TypeCodec<Object> codec = row.codecRegistry()
                    .codecFor(row.getColumnDefinitions().get(i).getType());
            literals.add(codec.format(row.get(i, codec)));
        }
        return literals;
    }

    /** Whether {@code number} nodes are there, and each has all others in its ring. */
    boolean everyNodeSees(int number) {
        Collection<Node> nodes = session.getMetadata().getNodes().values();
        return nodes.size() == number && nodes.stream().allMatch(node -> peers(node) == number - 1);
    }

    private int peers(Node node) {
        var query =
                SimpleStatement.newInstance("SELECT peer FROM system.peers_v2").setNode(node);
        try {
            return session.execute(query).all().size();
        } catch (DriverException notYet) {
            return 0;
        }
    }

    /** The statements of a script: without comments, cut at semicolons. */
    public static List<String> statements(String script) {
        return Arrays.stream(script.replaceAll("(?m)--.*$", "").split(";", -1))
                .map(String::strip)
                .filter(statement -> !statement.isEmpty())
                .toList();
    }

    /** The driver's own session. */
    public CqlSession session() {
        return session;
    }

    @Override
    public void close() {
        session.close();
    }
}
