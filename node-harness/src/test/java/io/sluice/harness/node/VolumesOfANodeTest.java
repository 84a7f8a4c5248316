package io.sluice.harness.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.NodeInfo;
import io.sluice.harness.admin.VolumeStatus;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.streaming.store.TableRef;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node whose second data directory is lost. */
class VolumesOfANodeTest {
    @TempDir
    private Path folder = Path.of("");

    private RunningNode started() throws IOException {
        SluiceConfig config = SluiceConfig.read(Path.of("..", "conf", "sluice.yaml"))
                .with(Map.of(
                        "data_file_directories",
                        folder.resolve("data1") + "\n" + folder.resolve("data2"),
                        "storage_port",
                        Integer.toString(FreePort.onLoopback())));
        return RunningNode.start(config.node(), config.streaming());
    }

    @Test
    void it_starts_without_it_and_says_so() throws IOException {
        Files.createFile(folder.resolve("data2"));

        try (RunningNode node = started()) {
            node.createTable(new AdminRequests.CreateTable(
                    new TableRef(new UUID(1, 2), "ks", "plain"),
                    "CREATE TABLE ks.plain (key text PRIMARY KEY, value text);"));
            NodeInfo status = node.status();

            assertThat(status.tables()).hasSize(1);
            assertThat(status.volumes())
                    .extracting(VolumeStatus::directory)
                    .containsExactly(
                            folder.resolve("data1/.sluice-staging").toString(),
                            folder.resolve("data2/.sluice-staging").toString());
            assertThat(status.volumes().get(0).failure()).isEmpty();
            assertThat(status.volumes().get(1).failure().orElseThrow()).contains("data2");
        }
    }

    @Test
    void with_both_it_says_their_room() throws IOException {
        try (RunningNode node = started()) {
            assertThat(node.status().volumes())
                    .hasSize(2)
                    .allMatch(volume -> volume.failure().isEmpty());
        }
    }
}
