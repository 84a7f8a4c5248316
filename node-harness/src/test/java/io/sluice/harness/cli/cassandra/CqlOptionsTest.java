package io.sluice.harness.cli.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.harness.config.ConfigException;
import io.sluice.harness.security.TrialAuthority;
import io.sluice.tools.FreePort;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What is said if a node cannot be asked over CQL: each cause has its words. */
@Timeout(120)
class CqlOptionsTest {
    private static final String PASSWORD = "of the stores";

    @TempDir
    private Path folder = Path.of("");

    private final AtomicInteger asked = new AtomicInteger();
    private Optional<ServerSocket> server = Optional.empty();

    /** What a node does with a connection. */
    private interface Node {
        void meet(Socket connection) throws IOException;
    }

    /** Serves until the test ends. */
    private int serve(ServerSocket socket, Node node) {
        server = Optional.of(socket);
        Thread thread = new Thread(
                () -> {
                    while (true) {
                        try (Socket connection = socket.accept()) {
                            node.meet(connection);
                        } catch (IOException clientWentOrTestEnded) {
                            if (socket.isClosed()) {
                                return;
                            }
                        }
                    }
                },
                "node");
        thread.start();
        return socket.getLocalPort();
    }

    private static ServerSocket plain() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    private ServerSocket encrypted() throws Exception {
        TrialAuthority authority = new TrialAuthority(folder);
        authority.issue("node", "127.0.0.1", new UUID(1, 1));
        authority.store("node", PASSWORD);
        char[] password = PASSWORD.toCharArray();
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(KeyStore.getInstance(folder.resolve("node.p12").toFile(), password), password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    /** Answers the first frame with an error of CQL. */
    private void refuse(Socket connection) throws IOException {
        DataInputStream in = new DataInputStream(connection.getInputStream());
        int version = in.readUnsignedByte();
        in.readByte();
        int stream = in.readShort();
        in.readByte();
        in.skipNBytes(in.readInt());
        asked.incrementAndGet();
        byte[] reason = "Provided username me and/or password are incorrect".getBytes(StandardCharsets.UTF_8);
        DataOutputStream out = new DataOutputStream(connection.getOutputStream());
        out.writeByte(0x80 | version);
        out.writeByte(0);
        out.writeShort(stream);
        out.writeByte(0); // ERROR
        out.writeInt(6 + reason.length);
        out.writeInt(0x0100); // bad credentials
        out.writeShort(reason.length);
        out.write(reason);
        out.flush();
        in.read(); // until the client closes
    }

    @AfterEach
    void stop() throws IOException {
        if (server.isPresent()) {
            server.get().close();
        }
    }

    private static CqlOptions options(int port, String... more) {
        List<String> arguments = new ArrayList<>(List.of("--cql", "127.0.0.1:" + port));
        arguments.addAll(List.of(more));
        return CommandLine.populateCommand(new CqlOptions(), arguments.toArray(String[]::new));
    }

    @Test
    void nobody_at_the_address_is_said() throws Exception {
        int port = FreePort.onLoopback();

        assertThatThrownBy(() -> options(port).connect())
                .isInstanceOf(IOException.class)
                .hasMessage("no CQL connection with 127.0.0.1:" + port
                        + ": nobody answers there (expected: host[:port] of a running node)");
    }

    /** As a node that requires TLS does with who speaks plain. */
    @Test
    void a_node_that_closes_the_connection_is_not_said_to_be_away() throws Exception {
        int port = serve(plain(), connection -> asked.incrementAndGet());

        assertThatThrownBy(() -> options(port).connect())
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("the node closes the connection (expected: --cql-truststore if it requires TLS)");
        assertThat(asked).hasPositiveValue();
    }

    @Test
    void a_wrong_password_is_said() throws Exception {
        int port = serve(plain(), this::refuse);
        Path password = Files.writeString(folder.resolve("password"), "wrong");

        assertThatThrownBy(() -> options(port, "--cql-user", "me", "--cql-password-file", password.toString())
                        .connect())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("password are incorrect")
                .hasMessageNotContaining("--cql-user");
    }

    @Test
    void with_a_truststore_cql_has_tls() throws Exception {
        int port = serve(encrypted(), this::refuse);
        Path password = Files.writeString(folder.resolve("password"), PASSWORD);
        Path trust = folder.resolve("trust.p12");

        assertThatThrownBy(() -> options(
                                port,
                                "--cql-truststore",
                                trust.toString(),
                                "--cql-store-password-file",
                                password.toString())
                        .connect())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("password are incorrect");
        assertThat(asked).as("frames of CQL through TLS").hasPositiveValue();
    }

    @Test
    void a_keystore_that_cannot_be_read_is_named_by_its_option() throws Exception {
        encrypted().close();
        Path password = Files.writeString(folder.resolve("password"), PASSWORD);
        CqlOptions options = options(
                1,
                "--cql-truststore",
                folder.resolve("trust.p12").toString(),
                "--cql-keystore",
                folder.resolve("none.p12").toString(),
                "--cql-store-password-file",
                password.toString());

        assertThatThrownBy(options::connect)
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("--cql-keystore " + folder.resolve("none.p12") + ": ");
    }

    @Test
    void options_that_lack_another_are_refused() {
        assertThatThrownBy(() -> options(1, "--cql-user", "me").connect())
                .isInstanceOf(ConfigException.class)
                .hasMessage("--cql-user: wants --cql-password-file beside it");
        assertThatThrownBy(() -> options(1, "--cql-truststore", "t").connect())
                .isInstanceOf(ConfigException.class)
                .hasMessage("--cql-truststore: wants --cql-store-password-file beside it");
        assertThatThrownBy(() -> options(1, "--cql-keystore", "k").connect())
                .isInstanceOf(ConfigException.class)
                .hasMessage("--cql-keystore: wants --cql-truststore beside it");
        assertThatThrownBy(() -> options(1, "--cql-store-password-file", "p").connect())
                .isInstanceOf(ConfigException.class)
                .hasMessage("--cql-store-password-file: wants --cql-truststore beside it");
        assertThatThrownBy(() -> options(1, "--cql-password-file", "p").connect())
                .isInstanceOf(ConfigException.class)
                .hasMessage("--cql-password-file: wants --cql-user beside it");
    }
}
