package io.sluice.harness.cli.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.cli.Main;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What people are told who try live Cassandra, as far as it needs none. */
class CassandraCommandTest {
    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;
    private static final int REFUSED = 3;

    @TempDir
    private Path work = Path.of("");

    private record Ended(int code, String out, String err) {}

    private static Ended run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        return new Ended(code, out.toString(), err.toString());
    }

    private Ended cassandra(String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of("cassandra", command, "--work-dir", work.toString()));
        all.addAll(List.of(arguments));
        return run(all.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"up", "status", "cql", "sstableloader", "bench", "down"})
    void every_command_explains_itself(String command) {
        Ended ended = run("cassandra", command, "--help");

        assertThat(ended.code()).isZero();
        assertThat(ended.out()).startsWith("Usage: sluice cassandra " + command).contains("--work-dir");
    }

    @ParameterizedTest
    @ValueSource(strings = {"status", "down", "bench"})
    void without_a_cluster_the_way_to_one_is_named(String command) {
        Ended ended = cassandra(command);

        assertThat(ended.code()).isEqualTo(WRONG_USAGE);
        assertThat(ended.err()).contains("no cluster (expected: ./sluice cassandra up before)");
    }

    @Test
    void a_cluster_that_is_down_is_told_by_the_exit_code() throws IOException {
        Path folder = Files.createDirectories(work.resolve("cassandra"));
        Files.writeString(
                folder.resolve("cluster.properties"),
                "release=5.0.9\nnodes=2\ntokens=16\ncql_port=9042\nstorage_port=7000\n");

        Ended ended = cassandra("status");

        assertThat(ended.code()).isEqualTo(FAILED);
        assertThat(ended.out()).contains("2 nodes of Cassandra 5.0.9").contains("node 2  is down");
    }

    @Test
    void a_release_that_there_is_not_is_refused_with_those_there_are() {
        Ended ended = cassandra("up", "--version", "3.11");

        assertThat(ended.code()).isEqualTo(WRONG_USAGE);
        assertThat(ended.err()).contains("Cassandra 3.11 (expected: 5.0, 4.1, or an exact release");
    }

    @Test
    void too_many_nodes_are_refused_with_how_many_are_not() {
        assertThat(cassandra("up", "--nodes", "17").err()).contains("nodes: 17 (expected: 1 to 16)");
    }

    @Test
    void a_login_wants_its_password_in_a_file() {
        Ended ended = run("load", work.toString(), "--hosts", "127.0.0.1", "--user", "reader");

        assertThat(ended.code()).isEqualTo(WRONG_USAGE);
        assertThat(ended.err()).contains("--user: wants --password-file beside it");
    }

    @Test
    void a_load_that_finds_no_node_is_refused_before_anything_is_sent() throws IOException {
        int nobodyListens = FreePort.onLoopback();

        assertThat(run("load", work.toString(), "--hosts", "127.0.0.1:" + nobodyListens)
                        .code())
                .isEqualTo(REFUSED);
    }

    @Test
    void followers_are_told_what_an_address_to_listen_at_looks_like() {
        Ended portless = run("follow", "--host", "127.0.0.1", "--listen", "127.0.0.1", "--to", work.toString());
        assertThat(portless.code()).isEqualTo(WRONG_USAGE);
        assertThat(portless.err()).contains("--listen 127.0.0.1: has no port (expected: host:port, as 127.0.0.1:7100)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "0"})
    void followers_take_one_session_at_least(String sessions) {
        Ended counting =
                run("follow", "--host", "127.0.0.1:1", "--listen", "127.0.0.1:0", "--to", "x", "--sessions", sessions);

        assertThat(counting.code()).isEqualTo(WRONG_USAGE);
        assertThat(counting.err()).contains("--sessions " + sessions + " (expected: 1 or more)");
    }

    @Test
    void an_address_of_ipv6_alone_has_no_port_to_listen_at() {
        Ended portless = run("follow", "--host", "::1", "--listen", "2001:db8::1", "--to", work.toString());

        assertThat(portless.code()).isEqualTo(WRONG_USAGE);
        assertThat(portless.err()).contains("--listen 2001:db8::1: has no port");
    }

    /** It gets as far as the node, where nobody listens. */
    @ParameterizedTest
    @ValueSource(strings = {"::1", "[::1]", "[::1]:9042"})
    void a_node_that_is_asked_over_cql_may_have_an_address_of_ipv6(String cql) throws IOException {
        Ended ended = rebuild("2001:db8::4", cql);

        assertThat(ended.err()).contains("no CQL connection with [0:0:0:0:0:0:0:1]:9042");
    }

    @Test
    void what_names_no_node_is_refused() throws IOException {
        assertThat(rebuild("10.0.0.4", "[::1").err()).contains("--cql [::1 (expected: HOST or HOST:PORT)");
        assertThat(rebuild("1:2:3", "127.0.0.1").err())
                .contains("node 1:2:3 (expected: its address, as the ring calls it)");
    }

    private Ended rebuild(String node, String cql) throws IOException {
        Path token = work.resolve("token");
        AdminToken.create(token);
        String agent = "127.0.0.1:" + FreePort.onLoopback();
        return run(
                "cassandra",
                "rebuild",
                "--node",
                node,
                "--cql",
                cql,
                "--agent",
                agent,
                "--token-file",
                token.toString());
    }

    @Test
    void followers_listen_in_plain_text_only_where_nobody_else_reaches_them() {
        for (String reached : List.of("0.0.0.0:7100", "192.0.2.1:7100")) {
            Ended refused = run("follow", "--host", "127.0.0.1:1", "--listen", reached, "--to", work.toString());
            Ended allowed = run(
                    "follow",
                    "--host",
                    "127.0.0.1:1",
                    "--listen",
                    reached,
                    "--to",
                    work.toString(),
                    "--allow-plaintext");

            assertThat(refused.code()).isEqualTo(WRONG_USAGE);
            assertThat(refused.err())
                    .contains("--listen " + reached + ": other machines reach it")
                    .contains("--allow-plaintext");
            assertThat(allowed.code())
                    .as("goes on to the node, which is not there")
                    .isEqualTo(REFUSED);
        }
    }

    @Test
    void a_host_that_is_none_is_refused_with_what_one_looks_like() {
        Ended ended = run("pull", "--host", "127.0.0.1:x", "--keyspace", "k", "--table", "t", "--to", work.toString());

        assertThat(ended.code()).isEqualTo(WRONG_USAGE);
        assertThat(ended.err()).contains("--host 127.0.0.1:x (expected: host or host:port)");
    }

    /** It is said before the node is asked, and before the stores are opened. */
    @Test
    void commands_to_which_nodes_connect_want_our_certificate_beside_the_trust() {
        List<String> pull = List.of("pull", "--host", "127.0.0.1:1", "--keyspace", "k", "--table", "t", "--to", "x");
        List<String> follow = List.of("follow", "--host", "127.0.0.1:1", "--listen", "127.0.0.1:0", "--to", "x");
        for (List<String> command : List.of(pull, follow)) {
            List<String> all = new ArrayList<>(command);
            all.addAll(List.of("--truststore", "trust.p12", "--store-password-file", "password"));
            Ended ended = run(all.toArray(String[]::new));

            assertThat(ended.code()).isEqualTo(WRONG_USAGE);
            assertThat(ended.err()).contains("--truststore: wants --keystore beside it, since streams come to us");
        }
    }
}
