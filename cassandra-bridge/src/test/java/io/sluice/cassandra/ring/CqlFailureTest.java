package io.sluice.cassandra.ring;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import com.datastax.oss.driver.internal.core.metadata.DefaultEndPoint;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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

    @Test
    void what_was_given_is_not_advised_where_the_cause_is_not_known() {
        assertThat(UNKNOWN.advice("--cql-", true, true)).isEqualTo(" (expected: host[:port] of a running node)");
        assertThat(UNKNOWN.advice("--cql-", false, false))
                .isEqualTo(" (expected: host[:port] of a running node; --cql-user if it requires a login;"
                        + " --cql-truststore if it requires TLS)");
    }
}
