package io.sluice.cassandra.ring;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.OptionsMap;
import com.datastax.oss.driver.api.core.config.TypedDriverOption;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.schema.IndexKind;
import com.datastax.oss.driver.api.core.metadata.schema.IndexMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.metadata.token.Token;
import com.datastax.oss.driver.internal.core.loadbalancing.BasicLoadBalancingPolicy;
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3Token;
import io.sluice.cassandra.net.CassandraTls;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
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
import java.util.stream.Stream;

/** A CQL session with a live cluster, to look at it. Thread-safe; closed by whoever opened it. */
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
     * @param credentials user and password, if it wants them
     * @param tls if its CQL port wants it
     * @param storagePort of nodes that do not say theirs
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

    /** A login. */
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
            builder.withSslContext(contact.tls().get().context());
        }
        try {
            return new CqlCluster(builder.build(), options, contact.storagePort());
        } catch (AllNodesFailedException e) {
            throw new StreamException(ErrorCode.PEER_LOST, explanation(contact, e), e);
        } catch (DriverException e) {
            throw new StreamException(ErrorCode.PEER_LOST, "CQL at " + contact.hosts() + ": " + e.getMessage(), e);
        }
    }

    /** From a map: reading the driver's reference.conf takes longer than all that we ask the cluster. */
    private static OptionsMap options() {
        OptionsMap options = OptionsMap.driverDefaults();
        // Any node may answer: nothing is asked of it but what it sees.
        options.put(TypedDriverOption.LOAD_BALANCING_POLICY_CLASS, BasicLoadBalancingPolicy.class.getName());
        options.put(TypedDriverOption.REQUEST_TIMEOUT, TIMEOUT);
        options.put(TypedDriverOption.CONTROL_CONNECTION_TIMEOUT, TIMEOUT);
        options.put(TypedDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, TIMEOUT);
        options.put(TypedDriverOption.METADATA_SCHEMA_REQUEST_TIMEOUT, TIMEOUT);
        options.put(TypedDriverOption.PREPARE_ON_ALL_NODES, false);
        // The schema is read when it is looked at, not at the start and after each change, too.
        options.put(TypedDriverOption.METADATA_SCHEMA_ENABLED, false);
        // All releases that we know speak it; asking for others first costs connections.
        options.put(TypedDriverOption.PROTOCOL_VERSION, "V5");
        // Nothing is in flight when we close: waiting for it would take four seconds.
        options.put(TypedDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0);
        options.put(TypedDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0);
        // A few questions: one thread for each kind of work.
        options.put(TypedDriverOption.NETTY_IO_SIZE, 1);
        options.put(TypedDriverOption.NETTY_ADMIN_SIZE, 1);
        return options;
    }

    private static String explanation(Contact contact, AllNodesFailedException e) {
        String first = e.getAllErrors().values().stream()
                .flatMap(List::stream)
                .map(Throwable::getMessage)
                .findFirst()
                .orElse(String.valueOf(e.getMessage()));
        return "no CQL connection with " + contact.hosts() + ": " + first
                + " (expected: host[:port] of a running node; --user if it wants a login, --truststore if it wants TLS)";
    }

    /**
     * Looks at the cluster as one node of it sees it now.
     *
     * @throws StreamException if there is no such keyspace, or the cluster has another partitioner
     */
    public ClusterView view(String keyspace) {
        try {
            Row local = local(); // first: what changes while the schema is read makes isAs look again
            readSchemaOf(keyspace);
            KeyspaceMetadata metadata = known(keyspace)
                    .orElseThrow(() -> new StreamException(
                            ErrorCode.UNKNOWN_TABLE,
                            "keyspace " + keyspace + " is not known to the cluster (create it, or name another by"
                                    + " --keyspace)"));
            List<LiveTable> tables = new ArrayList<>();
            for (TableMetadata table : metadata.getTables().values()) {
                tables.add(table(metadata, table));
            }
            return new ClusterView(
                    String.valueOf(local.getString(0)), keyspace, schemaVersion(local), owned(metadata), tables);
        } catch (DriverException e) {
            throw new StreamException(ErrorCode.PEER_LOST, "CQL: " + e.getMessage(), e);
        }
    }

    /** Without the tables of all the others, and of the system, of which there are many. */
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

    /** Whether schema and ring are as they were when they were looked at, which is less work than to look again. */
    public boolean isAs(ClusterView before) {
        try {
            return schemaVersion(local()).equals(before.schemaVersion())
                    && known(before.keyspace())
                            .filter(metadata -> owned(metadata).equals(before.owned()))
                            .isPresent();
        } catch (DriverException e) {
            throw new StreamException(ErrorCode.PEER_LOST, "CQL: " + e.getMessage(), e);
        }
    }

    /** The table or view with this id, in whatever keyspace, if the cluster knows it now. */
    public Optional<TableRef> table(UUID id) {
        Optional<TableRef> known = known(id);
        if (known.isPresent()) {
            return known;
        }
        readAllSchemas(); // it may have been created since
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

    /** The node that takes CQL at this address, if it is of the cluster. */
    public Optional<CassandraNode> nodeAt(InetSocketAddress cql) {
        return session.getMetadata().findNode(cql).map(this::node);
    }

    /** Why the session of a plan failed, as far as the nodes of the cluster still know it (5.0 and later). */
    public Optional<String> failureCause(UUID planId, CassandraNode node) {
        Optional<Node> answering = session.getMetadata().getNodes().values().stream()
                .filter(candidate -> node.hostId().equals(candidate.getHostId()))
                .findFirst();
        if (answering.isEmpty() || node.isBeforeFive()) {
            return Optional.empty();
        }
        try {
            var query = com.datastax.oss.driver.api.core.cql.SimpleStatement.newInstance(
                            "SELECT failure_cause FROM system_views.streaming WHERE id = ?", planId)
                    .setNode(answering.get());
            Row row = session.execute(query).one();
            return row == null ? Optional.empty() : Optional.ofNullable(row.getString(0));
        } catch (DriverException unreachable) {
            return Optional.of("it does not answer over CQL: " + unreachable.getMessage());
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

    private Map<CassandraNode, TokenRanges> owned(KeyspaceMetadata keyspace) {
        TokenMap tokens = session.getMetadata()
                .getTokenMap()
                .filter(map -> map.getPartitionerName().equals(MURMUR3))
                .orElseThrow(() ->
                        new StreamException(ErrorCode.WRONG_PEER, "the cluster does not place keys by " + MURMUR3));
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
                        node + " does not say its broadcast address (expected: Cassandra 4.0 on)"));
        int port = broadcast.getPort() == 0 ? storagePort : broadcast.getPort();
        UUID hostId = Optional.ofNullable(node.getHostId()).orElseGet(() -> new UUID(0, 0));
        return new CassandraNode(
                hostId,
                new InetSocketAddress(broadcast.getAddress(), port),
                String.valueOf(node.getDatacenter()),
                String.valueOf(node.getCassandraVersion()));
    }

    private static LiveTable table(KeyspaceMetadata keyspace, TableMetadata table) {
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
                !keyspace.getViewsOnTable(table.getName()).isEmpty());
    }

    /** Whether the index lives in components of SSTables: the storage-attached ones. */
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
