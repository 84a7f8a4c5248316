package io.sluice.cassandra.ring;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import com.datastax.oss.driver.api.core.metadata.EndPoint;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.internal.core.metadata.DefaultEndPoint;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is advised if nothing of it was given, and if it was. */
class CqlFailureTest {
    private static final CqlFailure LOGIN = CqlFailure.of(new AuthenticationException(
            new DefaultEndPoint(new InetSocketAddress(InetAddress.getLoopbackAddress(), 9042)), "refused"));

    private static final CqlFailure UNKNOWN = CqlFailure.of(new IllegalStateException("odd"));

    @Test
    void a_login_that_is_refused_is_not_advised_once_more() {
        assertThat(LOGIN.advice("--", true, false)).isEqualTo(" (expected: a user of the cluster with its password)");
        assertThat(LOGIN.advice("--", false, true)).isEqualTo(" (expected: --user if it requires a login)");
    }

    private static Node node(String host) {
        EndPoint address = new DefaultEndPoint(InetSocketAddress.createUnresolved(host, 9042));
        return (Node) Proxy.newProxyInstance(
                Node.class.getClassLoader(),
                new Class<?>[] {Node.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getEndPoint" -> address;
                    case "hashCode" -> host.hashCode();
                    case "equals" -> proxy == arguments[0];
                    case "toString" -> host;
                    default -> throw new AssertionError(method);
                });
    }

    /** The driver asks them in any order. */
    @Test
    void of_several_hosts_the_most_telling_cause_is_named() {
        Map.Entry<Node, Throwable> down = Map.entry(node("down"), new ConnectException("refused"));
        Map.Entry<Node, Throwable> login = Map.entry(
                node("up"),
                new AuthenticationException(
                        new DefaultEndPoint(InetSocketAddress.createUnresolved("up", 9042)), "wrong password"));

        for (var errors : List.of(List.of(down, login), List.of(login, down))) {
            CqlFailure failure = CqlFailure.of(AllNodesFailedException.fromErrors(errors));

            assertThat(failure.cause()).isEqualTo(CqlFailure.Cause.LOGIN);
            assertThat(failure.reason()).startsWith("up:9042: ").contains("wrong password");
        }
        assertThat(CqlFailure.of(AllNodesFailedException.fromErrors(List.of(down))))
                .isEqualTo(new CqlFailure(CqlFailure.Cause.ADDRESS, "nobody answers there"));
    }

    @Test
    void what_was_given_is_not_advised_where_the_cause_is_not_known() {
        assertThat(UNKNOWN.advice("--cql-", true, true)).isEqualTo(" (expected: host[:port] of a running node)");
        assertThat(UNKNOWN.advice("--cql-", false, false))
                .isEqualTo(" (expected: host[:port] of a running node; --cql-user if it requires a login;"
                        + " --cql-truststore if it requires TLS)");
    }
}
