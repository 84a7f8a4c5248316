package io.sluice.harness.cassandra;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
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
 * Orders for a local node, over JMX: it is attached to by its process id, so that it need not listen anywhere.
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
     * Attaches to a node that runs.
     *
     * @throws IOException if it does not run, or is not ours
     */
    @SuppressWarnings("BanJNDI") // who answers is a process of this user, which was attached to by its id
    public static NodeTool of(LocalNode node) throws IOException {
        long process = node.process()
                .orElseThrow(() -> new IOException("node " + node + " does not run"))
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

    /** What it streams is not throttled any more, until it starts again. */
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

    /** Lets the node fetch from others all that it owns of a keyspace, and waits until it has. */
    public void rebuild(String keyspace) throws IOException {
        invoke("rebuild", null, keyspace, null, null);
    }

    /**
     * Lets the node load a folder {@code <keyspace>/<table>} that it can read into the ring, and waits until it has.
     */
    public void bulkLoad(Path table) throws IOException {
        invoke("bulkLoad", table.toString());
    }

    /** Lets the node compact all SSTables of a table into one, and waits until it has. */
    public void compact(String keyspace, String table) throws IOException {
        Object[] arguments = {false, keyspace, new String[] {table}};
        String[] signature = {boolean.class.getName(), String.class.getName(), String[].class.getName()};
        invoke("forceKeyspaceCompaction", arguments, signature);
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
