package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.net.InetAddresses;
import io.sluice.cassandra.load.LoadOptions;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.security.TrialAuthority;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** How the nodes of a live cluster are named. */
class ContactOptionsTest {
    @TempDir
    private Path folder = Path.of("");

    private final CommandSpec spec = new CommandLine(CommandSpec.create()).getCommandSpec();

    private InetSocketAddress address(String text) {
        return new ContactOptions().address("--hosts", text, spec);
    }

    private static InetSocketAddress at(String address, int port) {
        return new InetSocketAddress(InetAddresses.forString(address), port);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:9042", "2001:db8:0:0:0:0:0:1"})
    void an_address_of_ipv6_is_a_host(String text) {
        assertThat(address(text)).isEqualTo(at("2001:db8::1", 9042));
    }

    @Test
    void a_port_is_behind_the_host() {
        assertThat(address("127.0.0.1")).isEqualTo(at("127.0.0.1", 9042));
        assertThat(address("127.0.0.1:7100")).isEqualTo(at("127.0.0.1", 7100));
        assertThat(address("[::1]:7100")).isEqualTo(at("::1", 7100));
        assertThat(new ContactOptions().address("--ignore", "::1", LoadOptions.ANY_PORT, spec))
                .isEqualTo(at("::1", LoadOptions.ANY_PORT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:x", "127.0.0.1:", ":9042", "[::1", "1:2:3"})
    void what_is_no_address_is_refused(String text) {
        assertThatThrownBy(() -> address(text))
                .isInstanceOf(CommandLine.ParameterException.class)
                .hasMessage("--hosts " + text + " (expected: host or host:port)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--verify-host",
                "--plain-cql",
                "--plain-streaming",
                "--keystore k.p12",
                "--store-password-file p"
            })
    void an_option_of_tls_without_tls_is_refused(String words) {
        String[] arguments = words.split(" ");
        ContactOptions options = CommandLine.populateCommand(new ContactOptions(), arguments);
        String refused = arguments[0] + ": wants --truststore beside it";

        assertThatThrownBy(() -> options.of(List.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessage(refused);
        assertThatThrownBy(options::streamingTls)
                .isInstanceOf(ConfigException.class)
                .hasMessage(refused);
    }

    @Test
    void a_password_without_a_login_and_tls_for_nothing_are_refused() {
        ContactOptions noLogin = CommandLine.populateCommand(new ContactOptions(), "--password-file", "p");

        assertThatThrownBy(() -> noLogin.of(List.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessage("--password-file: wants --user beside it");
        assertThatThrownBy(() -> withTls("--plain-cql", "--plain-streaming").streamingTls())
                .isInstanceOf(ConfigException.class)
                .hasMessage("--plain-cql: not with --plain-streaming (expected: one of both)");
    }

    private ContactOptions withTls(String... more) throws IOException {
        Path stores = Files.createTempDirectory(folder, "stores");
        TrialAuthority authority = new TrialAuthority(stores);
        authority.issue("us", "127.0.0.1", new UUID(1, 1));
        authority.store("us", "any");
        return tls(stores.resolve("trust.p12"), more);
    }

    private ContactOptions tls(Path trust, String... more) throws IOException {
        Path password = Files.writeString(folder.resolve("password"), "any");
        List<String> arguments = new ArrayList<>(
                List.of("--truststore", trust.toString(), "--store-password-file", password.toString()));
        arguments.addAll(List.of(more));
        return CommandLine.populateCommand(new ContactOptions(), arguments.toArray(String[]::new));
    }

    @Test
    void a_store_that_cannot_be_read_is_named_by_its_option() throws IOException {
        Path none = folder.resolve("none.p12");
        Path text = Files.writeString(folder.resolve("text.p12"), "no store");

        assertThatThrownBy(() -> withTls("--keystore", none.toString()).streamingTls())
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("--keystore " + none + ": ");
        assertThatThrownBy(() -> withTls("--keystore", text.toString()).streamingTls())
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("--keystore " + text + ": ");
        assertThatThrownBy(() -> tls(none).streamingTls())
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("--truststore " + none + ": ");
    }

    @Test
    void without_tls_for_streams_nobody_asks_for_our_certificate() throws IOException {
        ContactOptions plain = new ContactOptions();
        ContactOptions plainStreams = withTls("--plain-streaming");

        assertThatCode(plain::requireKeyForIncoming).doesNotThrowAnyException();
        assertThatCode(plainStreams::requireKeyForIncoming).doesNotThrowAnyException();
        assertThatThrownBy(withTls("--plain-cql")::requireKeyForIncoming).isInstanceOf(ConfigException.class);
    }

    @Test
    void tls_is_for_cql_and_streaming_or_for_one_of_them() throws IOException {
        assertThat(withTls().of(List.of()).tls()).isPresent();
        assertThat(withTls().streamingTls()).isPresent();
        assertThat(withTls("--plain-cql").of(List.of()).tls()).isEmpty();
        assertThat(withTls("--plain-cql").streamingTls()).isPresent();
        assertThat(withTls("--plain-streaming").of(List.of()).tls()).isPresent();
        assertThat(withTls("--plain-streaming").streamingTls()).isEmpty();
        try (CassandraLinks links = withTls("--plain-streaming").links()) {
            assertThat(links.isEncrypted()).isFalse();
        }
    }
}
