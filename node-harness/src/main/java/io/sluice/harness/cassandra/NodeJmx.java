package io.sluice.harness.cassandra;

import io.sluice.hook.HookMXBean;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.rmi.RemoteException;
import java.rmi.UnmarshalException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** JMX of one Cassandra node. Connects on the first call, and again after the connection was lost. Thread-safe. */
public final class NodeJmx implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeJmx.class);

    /** What a login must be allowed to do, for an error. */
    private static final String PERMISSIONS = "(expected: a login that may query MBeans, read"
            + " java.lang:type=Runtime, org.apache.cassandra.db:* and org.apache.cassandra.metrics:*, and call what"
            + " is in org.apache.cassandra.db:* and " + HookMXBean.NAME + ")";

    private final Target target;
    private @Nullable JMXConnector connector;

    public NodeJmx(Target target) {
        this.target = target;
    }

    /**
     * JMX address of a node.
     *
     * @param login user and password, if required
     * @param tls whether its registry and its server have TLS; see {@link JmxTls}
     */
    public record Target(String host, int port, Optional<Login> login, boolean tls) {
        /** Without TLS. */
        public Target(String host, int port, Optional<Login> login) {
            this(host, port, login, false);
        }

        @Override
        public String toString() {
            return Address.text(host, port);
        }
    }

    /** A user and its password. */
    public record Login(String user, String password) {
        /** Omits the password. */
        @Override
        public String toString() {
            return user;
        }
    }

    private interface Call<T> {
        T on(MBeanServerConnection node) throws IOException, JMException;
    }

    /** An attribute of a bean. */
    public Object attribute(String bean, String name) throws IOException {
        return call(name, node -> node.getAttribute(new ObjectName(bean), name));
    }

    /** Calls an operation of a bean, and again if the connection was lost: one that may be repeated. */
    public @Nullable Object invoke(String bean, String operation, Object[] arguments, String... signature)
            throws IOException {
        return call(
                        operation,
                        node -> Optional.ofNullable(node.invoke(new ObjectName(bean), operation, arguments, signature)))
                .orElse(null);
    }

    /**
     * Calls an operation of a bean that must not run twice at the same time.
     *
     * @throws IOException also if the connection was lost meanwhile: then the operation may still run
     */
    public @Nullable Object invokeOnce(String bean, String operation, Object[] arguments, String... signature)
            throws IOException {
        call("connection", MBeanServerConnection::getDefaultDomain); // one that was lost before is made anew
        JMXConnector used = connect();
        try {
            return attempt(
                            operation,
                            used,
                            node -> Optional.ofNullable(
                                    node.invoke(new ObjectName(bean), operation, arguments, signature)))
                    .orElse(null);
        } catch (IOException e) {
            if (isAnswer(e)) {
                throw e;
            }
            drop(used);
            throw new IOException(
                    operation + " at the node at " + target
                            + ": no answer, it may still run there (expected: an answer;"
                            + " wait until it has ended, as the node's log says, and run the command again): "
                            + reason(e),
                    e);
        }
    }

    /** Whether the node has said no, as opposed to a connection that was lost. */
    private static boolean isAnswer(IOException e) {
        return e.getCause() instanceof JMException
                || e.getCause() instanceof RuntimeMBeanException
                || e.getCause() instanceof ClassNotFoundException
                || e.getCause() instanceof SecurityException;
    }

    /** The names of all beans that match a pattern, in order. */
    public Set<ObjectName> names(String pattern) throws IOException {
        return call(pattern, node -> new TreeSet<>(node.queryNames(new ObjectName(pattern), null)));
    }

    /** The hook in the node; empty if it runs without one. It refuses calls with IllegalStateException. */
    public Optional<HookMXBean> hook() throws IOException {
        return call("hook", node -> {
            ObjectName name = new ObjectName(HookMXBean.NAME);
            return node.isRegistered(name)
                    ? Optional.of(JMX.newMXBeanProxy(node, name, HookMXBean.class))
                    : Optional.empty();
        });
    }

    /** Without a lock: an import may take long, and heartbeats must not wait for it. */
    private <T> T call(String what, Call<T> call) throws IOException {
        Optional<JMXConnector> before = known();
        JMXConnector used = before.isPresent() ? before.get() : connect();
        try {
            return attempt(what, used, call);
        } catch (IOException e) {
            if (isAnswer(e)) {
                throw e;
            }
            drop(used);
            if (before.isEmpty()) {
                throw e;
            }
            return attempt(what, connect(), call);
        }
    }

    private <T> T attempt(String what, JMXConnector used, Call<T> call) throws IOException {
        try {
            return call.on(used.getMBeanServerConnection());
        } catch (InstanceNotFoundException e) {
            throw new IOException("the node at " + target + " has no " + e.getMessage(), e);
        } catch (UnmarshalException e) {
            if (e.getCause() instanceof ClassNotFoundException unknown) { // an exception of Cassandra's own
                throw new IOException(
                        what + " at the node at " + target + ": ended with " + unknown.getMessage()
                                + ", a class that is not known here (see its log)",
                        unknown);
            }
            throw e;
        } catch (JMException | RuntimeMBeanException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(what + " at the node at " + target + ": " + cause.getMessage(), e);
        } catch (SecurityException e) { // not of the bean: the node asks first what the login may do
            throw new IOException(what + " at the node at " + target + ": " + e.getMessage() + " " + PERMISSIONS, e);
        }
    }

    private synchronized Optional<JMXConnector> known() {
        return Optional.ofNullable(connector);
    }

    @SuppressWarnings("BanJNDI") // its operator has named the node, and proves itself to it
    private synchronized JMXConnector connect() throws IOException {
        JMXConnector now = connector;
        if (now == null) {
            try {
                now = JMXConnectorFactory.connect(
                        new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + target + "/jmxrmi"),
                        JmxEnvironment.of(target));
            } catch (NullPointerException e) { // Java does not check what it gets of a registry without a server yet
                throw cannotConnect("the node is still starting", e);
            } catch (IOException e) {
                throw cannotConnect(reason(e), e);
            } catch (SecurityException e) {
                throw cannotConnect(e.getMessage(), e);
            }
            connector = now;
        }
        return now;
    }

    private IOException cannotConnect(@Nullable String why, Exception cause) {
        return new IOException(
                "cannot connect to JMX at " + target + ": " + why + " " + JmxEnvironment.expected(target), cause);
    }

    /**
     * Of exceptions of naming and RMI in each other, what the innermost one of RMI says: its host may be another one.
     */
    private static String reason(IOException failure) {
        String reason = String.valueOf(failure.getMessage());
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof RemoteException remote) {
                reason = String.valueOf(remote.getMessage()).replaceAll("; nested exception is:\\s*", ": ");
            }
        }
        return reason;
    }

    private void drop(JMXConnector lost) {
        synchronized (this) {
            if (lost.equals(connector)) {
                connector = null;
            }
        }
        try {
            lost.close();
        } catch (IOException e) {
            LOG.debug("closing JMX: {}", e.toString());
        }
    }

    @Override
    public void close() {
        known().ifPresent(this::drop);
    }

    @Override
    public String toString() {
        return target.toString();
    }
}
