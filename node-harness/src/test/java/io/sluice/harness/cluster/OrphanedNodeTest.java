package io.sluice.harness.cluster;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node that cannot run, or whose parent was killed, ends, whatever it is doing. */
@Tag("full")
@Timeout(120)
class OrphanedNodeTest {
    private static final long ENDS_WITHIN_SECONDS = 30;

    @TempDir
    private Path folder = Path.of("");

    /** A node whose settings are those of conf/sluice.yaml, but for {@code replaced}. */
    private Process start(Map<String, String> replaced) throws Exception {
        Path token = folder.resolve("admin.token");
        AdminToken.create(token);
        Path config = folder.resolve("sluice.yaml");
        SluiceConfig.read(Path.of("..", "conf", "sluice.yaml"))
                .with(replaced)
                .writeWith(
                        Map.of(
                                "data_file_directories", folder.resolve("data").toString(),
                                "log_directory", folder.resolve("logs").toString(),
                                "storage_port", Integer.toString(FreePort.onLoopback()),
                                "admin_port", Integer.toString(FreePort.onLoopback()),
                                "admin_token_file", token.toString()),
                        config);
        return new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.sluice.harness.cli.Main",
                        "node",
                        "--config",
                        config.toString(),
                        "--stop-with-parent"))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("console.log").toFile())
                .start();
    }

    private String console() throws IOException {
        return Files.readString(folder.resolve("console.log"));
    }

    @Test
    void a_node_whose_disk_does_not_answer_while_it_starts_ends_with_its_parent() throws Exception {
        Path log = Files.createDirectories(folder.resolve("data").resolve("commitlog"))
                .resolve("sluice-1.log");
        assumeTrue(new ProcessBuilder("mkfifo", log.toString()).start().waitFor() == 0, "needs mkfifo");
        Process node = start(Map.of());
        try {
            assertThat(node.waitFor(5, SECONDS))
                    .as("it waits for its disk; %s", console())
                    .isFalse();

            node.getOutputStream().close();

            assertThat(node.waitFor(ENDS_WITHIN_SECONDS, SECONDS)).isTrue();
        } finally {
            node.destroyForcibly().waitFor();
        }
    }

    @Test
    void a_node_whose_settings_are_refused_ends_and_says_why() throws Exception {
        Process node = start(Map.of("admin_address", "192.0.2.1"));
        try {
            assertThat(node.waitFor(ENDS_WITHIN_SECONDS, SECONDS)).isTrue();
            assertThat(node.exitValue()).isNotZero();
            assertThat(console()).contains("admin_address: 192.0.2.1: other machines can reach it");
        } finally {
            node.destroyForcibly().waitFor();
        }
    }
}
