package io.sluice.harness.agent;

import com.google.common.net.HostAndPort;
import io.sluice.harness.cassandra.NodeJmx;
import io.sluice.harness.config.AddressText;
import io.sluice.sstable.TableDirectory;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import org.jspecify.annotations.Nullable;

/**
 * A Cassandra node, read and controlled over JMX. What is sent has classes of Java 8, on which a node may run: not
 * those of {@code Map.of} and {@code Set.copyOf}. Thread-safe.
 */
final class ManagedNode implements ImportTarget, SnapshotSource {
    private static final String SERVICE = "org.apache.cassandra.db:type=StorageService";
    private static final String SNITCH = "org.apache.cassandra.db:type=EndpointSnitchInfo";
    private static final String RUNTIME = "java.lang:type=Runtime";
    private static final String TABLE = "org.apache.cassandra.db:type=Tables,keyspace=%s,table=%s";
    private static final String TABLES = "org.apache.cassandra.db:type=Tables,*";
    private static final String METRICS = "org.apache.cassandra.metrics:";
    private static final String STREAMED = METRICS + "type=Streaming,name=IncomingBytes,*";
    private static final String BOOLEAN = boolean.class.getName();
    /** Options of its JVM. */
    private static final List<String> REPLACE =
            List.of("cassandra.replace_address_first_boot", "cassandra.replace_address");

    private final NodeJmx jmx;

    ManagedNode(NodeJmx jmx) {
        this.jmx = jmx;
    }

    NodeJmx jmx() {
        return jmx;
    }

    private String text(String attribute) throws IOException {
        return String.valueOf(jmx.attribute(SERVICE, attribute));
    }

    private List<String> texts(String attribute) throws IOException {
        return ((Collection<?>) jmx.attribute(SERVICE, attribute))
                .stream().map(String::valueOf).toList();
    }

    /** Of reads of its own data, and of requests that it dropped. */
    SlowReads.Counts counts() throws IOException {
        return new SlowReads.Counts(
                count("type=Table,name=ReadLatency"),
                count("type=Table,name=ReadTotalLatency"),
                count("type=DroppedMessage,scope=READ,name=Dropped")
                        + count("type=DroppedMessage,scope=MUTATION,name=Dropped"));
    }

    private long count(String metric) throws IOException {
        return ((Number) jmx.attribute(METRICS + metric, "Count")).longValue();
    }

    UUID hostId() throws IOException {
        return UUID.fromString(text("LocalHostId"));
    }

    /** Where it keeps its data, absolute: one that it calls by a relative path is taken for one of this process. */
    List<Path> dataDirectories() throws IOException {
        String[] locations = (String[]) jmx.attribute(SERVICE, "AllDataFileLocations");
        return Stream.of(locations)
                .map(location -> Path.of(location).toAbsolutePath().normalize())
                .toList();
    }

    /** Its name in the ring, {@code host:port}; empty while the ring does not have it. */
    Optional<String> endpoint(UUID hostId) throws IOException {
        Map<?, ?> endpoints = (Map<?, ?>) jmx.attribute(SERVICE, "HostIdToEndpointWithPort");
        return Optional.ofNullable(endpoints.get(hostId.toString())).map(ManagedNode::plain);
    }

    /** {@code 5.0.9} */
    String release() throws IOException {
        return text("ReleaseVersion");
    }

    OperationMode operationMode() throws IOException {
        return OperationMode.of(text("OperationMode"));
    }

    String datacenter() throws IOException {
        return String.valueOf(jmx.attribute(SNITCH, "Datacenter"));
    }

    /** When its process started, by its own clock, in milliseconds since 1970: another one after a restart. */
    long startMillis() throws IOException {
        return ((Number) jmx.attribute(RUNTIME, "StartTime")).longValue();
    }

    /**
     * The node whose place this one was started to take, as {@code host:port}; empty if none.
     *
     * @param port of a node that is named without
     */
    Optional<String> replaces(int port) throws IOException {
        TabularData properties = (TabularData) jmx.attribute(RUNTIME, "SystemProperties");
        for (String name : REPLACE) {
            CompositeData property = properties.get(new Object[] {name});
            if (property != null) {
                return Optional.of(endpoint(String.valueOf(property.get("value")), port));
            }
        }
        return Optional.empty();
    }

    /** As the ring calls it: with an address in the place of a name. */
    static String endpoint(String text, int port) throws IOException {
        try {
            HostAndPort named = AddressText.parse(text).withDefaultPort(port);
            String address = InetAddress.getAllByName(named.getHost())[0].getHostAddress();
            return Address.text(address, named.getPort());
        } catch (IllegalArgumentException | UnknownHostException e) {
            throw new IOException(
                    "the node was started with " + REPLACE.get(0) + " '" + text
                            + "' (expected: the address of the dead node): " + e.getMessage(),
                    e);
        }
    }

    String schemaVersion() throws IOException {
        return text("SchemaVersion");
    }

    /** {@code /10.0.0.7:7000} as {@code 10.0.0.7:7000}. */
    private static String plain(Object endpoint) {
        String text = String.valueOf(endpoint);
        return text.substring(text.indexOf('/') + 1);
    }

    List<String> liveNodes() throws IOException {
        return texts("LiveNodesWithPort").stream().map(ManagedNode::plain).toList();
    }

    List<String> unreachableNodes() throws IOException {
        return texts("UnreachableNodesWithPort").stream()
                .map(ManagedNode::plain)
                .toList();
    }

    /** Nodes that join, leave or move. */
    List<String> changingNodes() throws IOException {
        List<String> changing = new ArrayList<>();
        for (String kind : List.of("Joining", "Leaving", "Moving")) {
            texts(kind + "NodesWithPort").stream().map(ManagedNode::plain).forEach(changing::add);
        }
        return changing;
    }

    /** How long a write that has begun may still be applied here. */
    long writeTimeoutMillis() throws IOException {
        return longest(millis("WriteRpcTimeout"), millis("CounterWriteRpcTimeout"), millis("CasContentionTimeout"));
    }

    private long millis(String timeout) throws IOException {
        return ((Number) jmx.attribute(SERVICE, timeout)).longValue();
    }

    /** A conditional write contends with others for so long, and is then committed as any write. */
    static long longest(long write, long counter, long contention) {
        return Math.max(counter, contention + write);
    }

    /** Bytes of all that Cassandra itself has streamed to the node since it started, as its own metric counts them. */
    long streamedBytes() throws IOException {
        long bytes = 0;
        for (ObjectName peer : jmx.names(STREAMED)) {
            bytes += ((Number) jmx.attribute(peer.toString(), "Count")).longValue();
        }
        return bytes;
    }

    /** The replicas of each range of a keyspace, by {@code (start,end]}, as {@code host:port}. */
    Map<String, List<String>> replicas(String keyspace) throws IOException {
        return endpoints("getRangeToEndpointWithPortMap", keyspace);
    }

    /** Pending replicas: nodes that are about to become replicas, and already receive every write. */
    Map<String, List<String>> pending(String keyspace) throws IOException {
        return endpoints("getPendingRangeToEndpointWithPortMap", keyspace);
    }

    private Map<String, List<String>> endpoints(String operation, String keyspace) throws IOException {
        Map<String, List<String>> byRange = new LinkedHashMap<>();
        Map<String, String> names = new HashMap<>(); // one text for each node, however many ranges there are
        Object found = jmx.invoke(SERVICE, operation, new Object[] {keyspace}, String.class.getName());
        if (found instanceof Map<?, ?> map) {
            map.forEach((range, endpoints) -> {
                List<?> ends = (List<?>) range;
                byRange.put(
                        "(" + ends.get(0) + "," + ends.get(1) + "]",
                        ((Collection<?>) endpoints)
                                .stream()
                                        .map(ManagedNode::plain)
                                        .map(node -> names.computeIfAbsent(node, its -> its))
                                        .toList());
            });
        }
        return byRange;
    }

    @Override
    public List<TableRef> tables() throws IOException {
        List<TableRef> tables = new ArrayList<>();
        for (ObjectName name : jmx.names(TABLES)) {
            if (!Set.of("system", "system_schema", "system_views", "system_virtual_schema")
                    .contains(name.getKeyProperty("keyspace"))) {
                folders(name.toString()).stream()
                        .map(TableDirectory::of)
                        .flatMap(Optional::stream)
                        .findFirst()
                        .ifPresent(found -> tables.add(new TableRef(
                                found.id(), name.getKeyProperty("keyspace"), name.getKeyProperty("table"))));
            }
        }
        return tables;
    }

    private List<Path> folders(String bean) throws IOException {
        return ((Collection<?>) jmx.attribute(bean, "DataPaths"))
                .stream().map(String::valueOf).map(Path::of).toList();
    }

    @Override
    public List<Path> folders(TableRef table) throws IOException {
        return folders(bean(table));
    }

    private static String bean(TableRef table) {
        return TABLE.formatted(table.keyspace(), table.name());
    }

    @Override
    public void takeSnapshot(String tag, TableRef table) throws IOException {
        jmx.invokeOnce(
                SERVICE,
                "takeSnapshot",
                new Object[] {tag, new HashMap<>(), new String[] {table.keyspace() + "." + table.name()}},
                String.class.getName(),
                Map.class.getName(),
                String[].class.getName());
    }

    @Override
    public void clearSnapshot(String tag, String keyspace) throws IOException {
        jmx.invoke(
                SERVICE,
                "clearSnapshot",
                new Object[] {tag, new String[] {keyspace}},
                String.class.getName(),
                String[].class.getName());
    }

    @Override
    public List<String> importSSTables(TableRef table, Collection<Path> folders) throws IOException {
        Set<String> paths = new HashSet<>(folders.stream().map(Path::toString).toList());
        Object[] arguments = {
            paths,
            false, // resetLevel
            false, // clearRepaired
            false, // verifySSTables, and verifyTokens: it would read all keys; the receiver has verified both
            false,
            true, // invalidateCaches
            false, // extendedVerify
            false // copyData: a rename
        };
        String[] signature = Stream.concat(
                        Stream.of(Set.class.getName()),
                        Stream.generate(() -> BOOLEAN).limit(arguments.length - 1))
                .toArray(String[]::new);
        @Nullable Object failed = jmx.invokeOnce(bean(table), "importNewSSTables", arguments, signature);
        return failed instanceof Collection<?> some
                ? some.stream().map(String::valueOf).toList()
                : List.of();
    }
}
