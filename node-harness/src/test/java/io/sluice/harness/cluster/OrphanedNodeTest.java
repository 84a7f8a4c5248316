package io.sluice.harness.cluster;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.cli.Main;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.tools.FreePort;
import io.sluice.tools.StartedProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
    private static final Duration ENDS_WITHIN = Duration.ofSeconds(30);

    @TempDir
    private Path folder = Path.of("");

    /** A node whose settings are those of conf/sluice.yaml, but for {@code replaced}. */
    private StartedProcess start(Map<String, String> replaced) throws Exception {
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
        return StartedProcess.java(List.of(), Main.class, "node", "--config", config, "--stop-with-parent");
    }

    @Test
    void a_node_whose_disk_does_not_answer_while_it_starts_ends_with_its_parent() throws Exception {
        Path log = Files.createDirectories(folder.resolve("data").resolve("commitlog"))
                .resolve("sluice-1.log");
        StartedProcess.run("mkfifo", log.toString());
        try (StartedProcess node = start(Map.of())) {
            assertThat(node.process().waitFor(5, SECONDS))
                    .as("it waits for its disk; %s", node.lines())
                    .isFalse();

            node.endInput();

            node.awaitExit(ENDS_WITHIN);
        }
    }

    @Test
    void a_node_whose_settings_are_refused_ends_and_says_why() throws Exception {
        try (StartedProcess node = start(Map.of("admin_address", "192.0.2.1"))) {
            assertThat(node.awaitExit(ENDS_WITHIN)).isNotZero();
            assertThat(node.lines())
                    .anyMatch(line -> line.contains("admin_address: 192.0.2.1: other machines can reach it"));
        }
    }
}
