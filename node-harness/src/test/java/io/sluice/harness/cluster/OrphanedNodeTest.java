package io.sluice.harness.cluster;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.config.SluiceConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node whose parent was killed ends, whatever it is doing. */
@Tag("full")
@Timeout(120)
class OrphanedNodeTest {
    private static final long ENDS_WITHIN_SECONDS = 30;

    @TempDir
    private Path folder = Path.of("");

    @Test
    void a_node_whose_disk_does_not_answer_while_it_starts_ends_with_its_parent() throws Exception {
        Path data = folder.resolve("data");
        Path log = Files.createDirectories(data.resolve("commitlog")).resolve("sluice-1.log");
        assumeTrue(new ProcessBuilder("mkfifo", log.toString()).start().waitFor() == 0, "needs mkfifo");
        Path token = folder.resolve("admin.token");
        AdminToken.create(token);
        Path config = folder.resolve("sluice.yaml");
        SluiceConfig.read(Path.of("..", "conf", "sluice.yaml"))
                .writeWith(
                        Map.of(
                                "data_directory", data.toString(),
                                "log_directory", folder.resolve("logs").toString(),
                                "storage_port", Integer.toString(Loopback.freePort("127.0.0.1")),
                                "admin_port", Integer.toString(Loopback.freePort("127.0.0.1")),
                                "admin_token_file", token.toString()),
                        config);
        Process node = new ProcessBuilder(List.of(
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
        try {
            assertThat(node.waitFor(5, SECONDS))
                    .as("it waits for its disk; %s", Files.readString(folder.resolve("console.log")))
                    .isFalse();

            node.getOutputStream().close();

            assertThat(node.waitFor(ENDS_WITHIN_SECONDS, SECONDS)).isTrue();
        } finally {
            node.destroyForcibly().waitFor();
        }
    }
}
