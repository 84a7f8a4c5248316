package io.sluice.harness.cassandra;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;

/**
 * Controls a local node over JMX. Attaches to it by its process id, so that the node need not listen on a port.
 * Thread-safe.
 */
public final class NodeTool implements AutoCloseable {
    private static final String STORAGE_SERVICE = "org.apache.cassandra.db:type=StorageService";

    private final JMXConnector connector;
    private final MBeanServerConnection node;
    private final ObjectName service;

    private NodeTool(JMXConnector connector, ObjectName service) throws IOException {
        this.connector = connector;
        this.node = connector.getMBeanServerConnection();
        this.service = service;
    }

    /**
     * Attaches to a running node.
     *
     * @throws IOException if it is not running, or belongs to another user
     */
    @SuppressWarnings("BanJNDI") // who answers is a process of this user, which was attached to by its id
    public static NodeTool of(LocalNode node) throws IOException {
        long process = node.process()
                .orElseThrow(() -> new IOException("node " + node + " is not running"))
                .pid();
        try {
            VirtualMachine machine = VirtualMachine.attach(String.valueOf(process));
            try {
                JMXConnector connector =
                        JMXConnectorFactory.connect(new JMXServiceURL(machine.startLocalManagementAgent()));
                return new NodeTool(connector, new ObjectName(STORAGE_SERVICE));
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException | JMException e) {
            throw new IOException("node " + node + ": " + e.getMessage(), e);
        }
    }

    /** Removes the node's stream throttle until it restarts. */
    @SuppressWarnings("BanJNDI") // as above
    public void unthrottleStreams() throws IOException {
        try {
            for (MBeanAttributeInfo attribute : node.getMBeanInfo(service).getAttributes()) {
                boolean isLimit = attribute.getName().contains("StreamThroughput") && attribute.isWritable();
                if (isLimit && attribute.getType().equals("int")) {
                    node.setAttribute(service, new Attribute(attribute.getName(), 0));
                }
            }
        } catch (JMException e) {
            throw new IOException("stream throughput: " + e.getMessage(), e);
        }
    }

    /** Makes the node rebuild a keyspace from other nodes, and waits for the end. */
    public void rebuild(String keyspace) throws IOException {
        invoke("rebuild", null, keyspace, null, null);
    }

    /** Makes the node bulk-load a folder {@code <keyspace>/<table>} that it can read, and waits for the end. */
    public void bulkLoad(Path table) throws IOException {
        invoke("bulkLoad", table.toString());
    }

    /** Makes the node compact all SSTables of a table into one, and waits for the end. */
    public void compact(String keyspace, String table) throws IOException {
        Object[] arguments = {false, keyspace, new String[] {table}};
        String[] signature = {boolean.class.getName(), String.class.getName(), String[].class.getName()};
        invoke("forceKeyspaceCompaction", arguments, signature);
    }

    /** The addresses of the nodes that this one takes for alive, itself among them. */
    public List<String> liveNodes() throws IOException {
        try {
            return ((List<?>) node.getAttribute(service, "LiveNodes"))
                    .stream().map(Object::toString).toList();
        } catch (JMException e) {
            throw new IOException("live nodes: " + e.getMessage(), e);
        }
    }

    /**
     * The sum of what counters of a node have counted.
     *
     * @param pattern of their names; 0 if there are none
     */
    public long counted(String pattern) throws IOException {
        try {
            long sum = 0;
            for (ObjectName counter : node.queryNames(new ObjectName(pattern), null)) {
                sum += ((Number) node.getAttribute(counter, "Count")).longValue();
            }
            return sum;
        } catch (JMException e) {
            throw new IOException(pattern + ": " + e.getMessage(), e);
        }
    }

    private void invoke(String operation, @Nullable String... arguments) throws IOException {
        String[] signature = new String[arguments.length];
        Arrays.fill(signature, String.class.getName());
        invoke(operation, arguments, signature);
    }

    @SuppressWarnings("BanJNDI") // as above
    private void invoke(String operation, @Nullable Object[] arguments, String[] signature) throws IOException {
        try {
            node.invoke(service, operation, arguments, signature);
        } catch (JMException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(operation + " at a node: " + cause.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
