package io.sluice.cassandra.ring;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.OptionsMap;
import com.datastax.oss.driver.api.core.config.TypedDriverOption;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.schema.IndexKind;
import com.datastax.oss.driver.api.core.metadata.schema.IndexMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.metadata.token.Token;
import com.datastax.oss.driver.api.core.ssl.ProgrammaticSslEngineFactory;
import com.datastax.oss.driver.api.core.ssl.SslEngineFactory;
import com.datastax.oss.driver.internal.core.loadbalancing.BasicLoadBalancingPolicy;
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3Token;
import io.sluice.cassandra.net.CassandraTls;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A CQL session that reads ring and schema of a live cluster. Thread-safe; closed by whoever opened it. */
public final class CqlCluster implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final List<String> NOT_OF_THE_SYSTEM = List.of("!system", "!/^system_.*/");
    private static final String MURMUR3 = "org.apache.cassandra.dht.Murmur3Partitioner";

    private final CqlSession session;
    private final OptionsMap options;
    private final int storagePort;
    private Set<String> viewed = Set.of(); // guarded by this

    private CqlCluster(CqlSession session, OptionsMap options, int storagePort) {
        this.session = session;
        this.options = options;
        this.storagePort = storagePort;
    }

    /**
     * How to reach a cluster over CQL.
     *
     * @param hosts any of its nodes, with their CQL ports
     * @param credentials user and password, if the cluster requires a login
     * @param tls present if its CQL port requires TLS
     * @param storagePort of nodes that do not announce theirs
     */
    public record Contact(
            List<InetSocketAddress> hosts,
            Optional<Credentials> credentials,
            Optional<CassandraTls> tls,
            int storagePort) {
        public Contact {
            hosts = List.copyOf(hosts);
        }
    }

    /** Credentials of a login. */
    public record Credentials(String user, String password) {
        @Override
        public String toString() {
            return user; // never the password
        }
    }

    /**
     * Connects.
     *
     * @throws StreamException if no host answers, or the login is refused
     */
    public static CqlCluster connect(Contact contact) throws IOException {
        OptionsMap options = options();
        CqlSessionBuilder builder = CqlSession.builder()
                .addContactPoints(contact.hosts())
                .withConfigLoader(DriverConfigLoader.fromMap(options));
        contact.credentials().ifPresent(login -> builder.withAuthCredentials(login.user(), login.password()));
        if (contact.tls().isPresent()) {
            builder.withSslEngineFactory(encryption(contact.tls().get()));
        }
        try {
            return new CqlCluster(builder.build(), options, contact.storagePort());
        } catch (DriverException e) {
            throw new StreamException(ErrorCode.PEER_LOST, explanation(contact, e), e);
        }
    }

    /** TLS for a session: it checks the host by the name or address that the session was given, if at all. */
    public static SslEngineFactory encryption(CassandraTls tls) throws IOException {
        boolean mayAskForName = false; // or a certificate would be compared with whatever DNS calls the address
        return new ProgrammaticSslEngineFactory(tls.context(), null, tls.verifiesHost(), mayAskForName);
    }

    /** Options from a map: reading the driver's reference.conf takes longer than all our queries. */
    private static OptionsMap options() {
        OptionsMap options = OptionsMap.driverDefaults();
        // Any node may answer: each query reads only the node's own view.
        options.put(TypedDriverOption.LOAD_BALANCING_POLICY_CLASS, BasicLoadBalancingPolicy.class.getName());
        options.put(TypedDriverOption.REQUEST_TIMEOUT, TIMEOUT);
        options.put(TypedDriverOption.CONTROL_CONNECTION_TIMEOUT, TIMEOUT);
        options.put(TypedDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, TIMEOUT);
        options.put(TypedDriverOption.METADATA_SCHEMA_REQUEST_TIMEOUT, TIMEOUT);
        options.put(TypedDriverOption.PREPARE_ON_ALL_NODES, false);
        // Read the schema on demand, rather than at the start and after each change.
        options.put(TypedDriverOption.METADATA_SCHEMA_ENABLED, false);
        // All supported releases speak it; trying other versions first costs connections.
        options.put(TypedDriverOption.PROTOCOL_VERSION, "V5");
        // Nothing is in flight when we close; waiting for it would take four seconds.
        options.put(TypedDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0);
        options.put(TypedDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0);
        // Few queries: one thread for each kind of work.
        options.put(TypedDriverOption.NETTY_IO_SIZE, 1);
        options.put(TypedDriverOption.NETTY_ADMIN_SIZE, 1);
        return options;
    }

    private static String explanation(Contact contact, DriverException e) {
        String hosts = contact.hosts().stream()
                .map(host -> Address.text(host.getHostString(), host.getPort()))
                .collect(Collectors.joining(", "));
        CqlFailure failure = CqlFailure.of(e);
        return "cannot connect over CQL to " + hosts + ": " + failure.reason()
                + failure.advice(
                        "--", contact.credentials().isPresent(), contact.tls().isPresent());
    }

    /**
     * Reads ring and schema as one node sees them now.
     *
     * @throws StreamException if there is no such keyspace, the cluster uses another partitioner, or a node has other
     *     tokens than when we connected
     */
    public ClusterView view(String keyspace) {
        try {
            Row local = local(); // first: isAs then detects a change during the reading of the schema
            new RingTokens(session, tokens()).requireKnown();
            readSchemaOf(keyspace);
            KeyspaceMetadata metadata = known(keyspace)
                    .orElseThrow(() -> new StreamException(
                            ErrorCode.UNKNOWN_TABLE,
                            "keyspace " + keyspace + " is not known to the cluster (create it, or name another by"
                                    + " --keyspace)"));
            DriverColumns columns = DriverColumns.in(session, keyspace);
            List<LiveTable> tables = new ArrayList<>();
            for (TableMetadata table : metadata.getTables().values()) {
                tables.add(table(metadata, table, columns));
            }
            return new ClusterView(
                    String.valueOf(local.getString(0)),
                    keyspace,
                    schemaVersion(local),
                    owned(metadata),
                    tables,
                    metadata.getViews().values().stream()
                            .collect(Collectors.toMap(
                                    one -> one.getName().asInternal(),
                                    one -> one.getBaseTable().asInternal())));
        } catch (DriverException e) {
            throw new StreamException(ErrorCode.PEER_LOST, "CQL: " + e.getMessage(), e);
        }
    }

    /** Reads only this keyspace, not the many tables of the others and of the system. */
    private synchronized void readSchemaOf(String keyspace) {
        Set<String> wanted = new TreeSet<>(viewed);
        wanted.add(keyspace);
        viewed = Set.copyOf(wanted);
        options.put(TypedDriverOption.METADATA_SCHEMA_REFRESHED_KEYSPACES, List.copyOf(wanted));
        session.refreshSchema();
    }

    private Optional<KeyspaceMetadata> known(String keyspace) {
        return session.getMetadata().getKeyspace('"' + keyspace.replace("\"", "\"\"") + '"');
    }

    /** Whether schema and ring are unchanged since {@code before}; cheaper than another view. */
    public boolean isAs(ClusterView before) {
        try {
            return schemaVersion(local()).equals(before.schemaVersion())
                    && new RingTokens(session, tokens()).areKnown()
                    && known(before.keyspace())
                            .filter(metadata -> owned(metadata).equals(before.owned()))
                            .isPresent();
        } catch (DriverException e) {
            throw new StreamException(ErrorCode.PEER_LOST, "CQL: " + e.getMessage(), e);
        }
    }

    /** The table or view with this id, in any keyspace, if the cluster has it now. */
    public Optional<TableRef> table(UUID id) {
        Optional<TableRef> known = known(id);
        if (known.isPresent()) {
            return known;
        }
        readAllSchemas(); // it may be new
        return known(id);
    }

    private synchronized void readAllSchemas() {
        options.put(TypedDriverOption.METADATA_SCHEMA_REFRESHED_KEYSPACES, NOT_OF_THE_SYSTEM);
        session.refreshSchema();
    }

    private Optional<TableRef> known(UUID id) {
        return session.getMetadata().getKeyspaces().values().stream()
                .flatMap(keyspace ->
                        Stream.concat(keyspace.getTables().values().stream(), keyspace.getViews().values().stream()))
                .filter(table -> table.getId().filter(id::equals).isPresent())
                .map(table -> new TableRef(
                        id, table.getKeyspace().asInternal(), table.getName().asInternal()))
                .findFirst();
    }

    /** All nodes, those that are down, too. */
    public Set<CassandraNode> nodes() {
        return session.getMetadata().getNodes().values().stream()
                .map(this::node)
                .collect(Collectors.toSet());
    }

    /** The node with this CQL address, if it belongs to the cluster. */
    public Optional<CassandraNode> nodeAt(InetSocketAddress cql) {
        return session.getMetadata().findNode(cql).map(this::node);
    }

    /** Why the session of a plan failed, if the nodes of the cluster still know it (5.0 and later). */
    public Optional<String> failureCause(UUID planId, CassandraNode node) {
        Optional<Node> answering = session.getMetadata().getNodes().values().stream()
                .filter(candidate -> node.hostId().equals(candidate.getHostId()))
                .findFirst();
        if (answering.isEmpty() || node.isBeforeFive()) {
            return Optional.empty();
        }
        try {
            var query = SimpleStatement.newInstance(
                            "SELECT failure_cause FROM system_views.streaming WHERE id = ?", planId)
                    .setNode(answering.get());
            Row row = session.execute(query).one();
            return row == null ? Optional.empty() : Optional.ofNullable(row.getString(0));
        } catch (DriverException unreachable) {
            return Optional.of("no answer over CQL: " + unreachable.getMessage());
        }
    }

    private Row local() {
        String query = "SELECT cluster_name, schema_version FROM system.local";
        Row row = session.execute(query).one();
        if (row == null) {
            throw new StreamException(ErrorCode.WRONG_PEER, query + ": no row (expected: one)");
        }
        return row;
    }

    private static String schemaVersion(Row local) {
        return String.valueOf(local.getUuid(1));
    }

    private TokenMap tokens() {
        return session.getMetadata()
                .getTokenMap()
                .filter(map -> map.getPartitionerName().equals(MURMUR3))
                .orElseThrow(
                        () -> new StreamException(ErrorCode.WRONG_PEER, "the cluster's partitioner is not " + MURMUR3));
    }

    private Map<CassandraNode, TokenRanges> owned(KeyspaceMetadata keyspace) {
        TokenMap tokens = tokens();
        Map<CassandraNode, TokenRanges> owned = new HashMap<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            Collection<TokenRange> ranges = tokens.getTokenRanges(keyspace.getName(), node).stream()
                    .map(range -> new TokenRange(token(range.getStart()), token(range.getEnd())))
                    .toList();
            if (!ranges.isEmpty()) {
                owned.put(node(node), TokenRanges.of(ranges));
            }
        }
        return owned;
    }

    private static io.sluice.sstable.token.Token token(Token token) {
        if (token instanceof Murmur3Token murmur3) {
            return new io.sluice.sstable.token.Token(murmur3.getValue());
        }
        throw new StreamException(ErrorCode.WRONG_PEER, token + ": token (expected: of " + MURMUR3 + ")");
    }

    private CassandraNode node(Node node) {
        InetSocketAddress broadcast = node.getBroadcastAddress()
                .orElseThrow(() -> new StreamException(
                        ErrorCode.WRONG_PEER,
                        node + " does not announce its broadcast address (expected: Cassandra 4.0 or later)"));
        int port = broadcast.getPort() == 0 ? storagePort : broadcast.getPort();
        UUID hostId = Optional.ofNullable(node.getHostId()).orElseGet(() -> new UUID(0, 0));
        return new CassandraNode(
                hostId,
                new InetSocketAddress(broadcast.getAddress(), port),
                String.valueOf(node.getDatacenter()),
                String.valueOf(node.getCassandraVersion()));
    }

    private static LiveTable table(KeyspaceMetadata keyspace, TableMetadata table, DriverColumns columns) {
        StringBuilder cql = new StringBuilder();
        keyspace.getUserDefinedTypes()
                .values()
                .forEach(type -> cql.append(type.describe(false)).append('\n'));
        cql.append(table.describe(false));
        UUID id = table.getId()
                .orElseThrow(() -> new StreamException(ErrorCode.UNKNOWN_TABLE, table.getName() + " has no id"));
        return new LiveTable(
                keyspace.getName().asInternal(),
                table.getName().asInternal(),
                id,
                cql.toString(),
                table.getIndexes().values().stream()
                        .filter(CqlCluster::isAttached)
                        .map(index -> index.getName().asInternal())
                        .toList(),
                columns.of(table));
    }

    /** Whether the index is storage-attached: it lives in components of SSTables. */
    private static boolean isAttached(IndexMetadata index) {
        String implementation = index.getClassName().orElse("");
        return index.getKind() == IndexKind.CUSTOM
                && (implementation.endsWith("StorageAttachedIndex") || implementation.equalsIgnoreCase("sai"));
    }

    @Override
    public void close() {
        session.close();
    }
}
