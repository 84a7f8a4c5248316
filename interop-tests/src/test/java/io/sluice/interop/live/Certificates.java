package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cassandra.net.CassandraTls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Keys of a node and of ours that trust each other, as files. Immutable. */
record Certificates(Path folder) {
    static final String PASSWORD = "secret-of-tests";

    /** Makes them in an empty folder. */
    static Certificates in(Path folder) throws IOException, InterruptedException {
        var made = new Certificates(folder);
        for (String side : List.of("node", "us")) {
            made.keytool(
                    "-genkeypair",
                    "-alias",
                    side,
                    "-keyalg",
                    "EC",
                    "-keystore",
                    side + ".p12",
                    "-dname",
                    "CN=" + side,
                    "-ext",
                    "san=ip:127.0.0.1");
            made.keytool("-exportcert", "-alias", side, "-keystore", side + ".p12", "-file", side + ".cer");
            made.keytool("-importcert", "-noprompt", "-alias", side, "-keystore", "trust.p12", "-file", side + ".cer");
        }
        return made;
    }

    private void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
        Path log = folder.resolve("keytool.log");
        int ended = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
        assertThat(ended).as(Files.readString(log)).isZero();
    }

    /** One of the files. */
    CassandraTls.Store store(String file) {
        return new CassandraTls.Store(folder.resolve(file), PASSWORD);
    }

    /** What we show and believe. */
    CassandraTls ours() throws IOException {
        return CassandraTls.of(store("trust.p12"), Optional.of(store("us.p12")), true);
    }

    /** Lines of cassandra.yaml: streams with certificates on both sides. */
    String streamingYaml() {
        return """
                server_encryption_options:
                  internode_encryption: all
                """ + stores();
    }

    /** Lines of cassandra.yaml: CQL with certificates on both sides. */
    String clientYaml() {
        return """
                client_encryption_options:
                  enabled: true
                """ + stores();
    }

    private String stores() {
        return """
                  keystore: %1$s/node.p12
                  keystore_password: %2$s
                  require_client_auth: true
                  truststore: %1$s/trust.p12
                  truststore_password: %2$s
                  store_type: PKCS12
                """.formatted(folder, PASSWORD);
    }
}
