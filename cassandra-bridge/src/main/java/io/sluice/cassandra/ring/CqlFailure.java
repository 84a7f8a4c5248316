package io.sluice.cassandra.ring;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.sluice.cassandra.net.TlsFailure;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Why a node cannot be asked over CQL, in words of ours where the driver has only types of Java and names of its
 * channels. Immutable.
 *
 * @param reason as a sentence without an end
 */
public record CqlFailure(Cause cause, String reason) {
    private static final Pattern DRIVERS_WORDS = Pattern.compile("\\[s\\d+\\|[^]]*] | ?\\((?:\\w+\\.)+\\w+\\)");
    private static final String RUNNING = "expected: host[:port] of a running node";

    /** What is wrong, as far as that is known; the most telling first. */
    public enum Cause {
        /** The node refuses user or password, or that there is none. */
        LOGIN,
        /** The certificate of the node is of another host. */
        HOST,
        /** One end refuses the certificate of the other, or its way to encrypt. */
        TLS,
        /** The node speaks plain. */
        PLAIN,
        /** The node closes the connection without a word. */
        CLOSED,
        UNKNOWN,
        /** Nobody is at the address. */
        ADDRESS
    }

    /** Of a session that could not begin: the most telling of the failures of all nodes that were asked. */
    public static CqlFailure of(Throwable failure) {
        if (failure instanceof AllNodesFailedException all) {
            boolean isOfSeveral = all.getAllErrors().size() > 1;
            return all.getAllErrors().entrySet().stream()
                    .flatMap(node -> node.getValue().stream()
                            .map(CqlFailure::of)
                            .map(known -> isOfSeveral ? known.at(node.getKey()) : known))
                    .min(Comparator.comparing(CqlFailure::cause))
                    .orElseGet(() -> new CqlFailure(Cause.UNKNOWN, "nobody was asked"));
        }
        if (TlsFailure.isOfPlainText(failure)) {
            return new CqlFailure(Cause.PLAIN, "its CQL is not encrypted");
        }
        Optional<String> tls = TlsFailure.reason(failure);
        if (tls.isPresent()) {
            return new CqlFailure(TlsFailure.isOfHost(tls.get()) ? Cause.HOST : Cause.TLS, tls.get());
        }
        if (has(failure, AuthenticationException.class)) {
            return new CqlFailure(Cause.LOGIN, words(failure));
        }
        if (has(failure, UnknownHostException.class) || has(failure, UnresolvedAddressException.class)) {
            return new CqlFailure(Cause.ADDRESS, "no machine of that name is known");
        }
        if (has(failure, ClosedConnectionException.class)) { // as one that wants TLS, when we speak plain
            return new CqlFailure(Cause.CLOSED, "the node closes the connection");
        }
        if (has(failure, ConnectException.class) || has(failure, ClosedChannelException.class)) {
            return new CqlFailure(Cause.ADDRESS, "nobody answers there");
        }
        return new CqlFailure(Cause.UNKNOWN, words(failure));
    }

    private CqlFailure at(Node node) {
        String address = node.getEndPoint().resolve() instanceof InetSocketAddress known
                ? known.getHostString() + ":" + known.getPort()
                : node.getEndPoint().toString();
        return new CqlFailure(cause, address + ": " + reason);
    }

    private static boolean has(Throwable failure, Class<? extends Throwable> kind) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (kind.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }

    private static String words(Throwable failure) {
        return DRIVERS_WORDS.matcher(String.valueOf(failure.getMessage())).replaceAll("");
    }

    /**
     * What to do, in brackets.
     *
     * @param options how the options of the command begin that are named: {@code --}, or {@code --cql-}
     */
    public String advice(String options, boolean hasLogin, boolean hasTls) {
        String login = options + "user if it requires a login";
        String tls = options + "truststore if it requires TLS";
        String key = options + "keystore if it requires our certificate";
        return " ("
                + switch (cause) {
                    case ADDRESS -> RUNNING;
                    case CLOSED -> "expected: " + (hasTls ? key : tls);
                    case HOST ->
                        "expected: a host by the name that its certificate has, or no " + options.replace("cql-", "")
                                + "verify-host";
                    case PLAIN -> "expected: TLS at both ends, or at none";
                    case TLS -> "expected: a certificate that " + options + "truststore trusts; " + key;
                    case LOGIN -> "expected: " + (hasLogin ? "a user of the cluster with its password" : login);
                    case UNKNOWN -> RUNNING + (hasLogin ? "" : "; " + login) + (hasTls ? "" : "; " + tls);
                }
                + ")";
    }
}
