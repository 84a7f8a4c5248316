package io.sluice.harness.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@Tag("full")
class OrphanedNetworksTest {
    @Test
    void what_a_killed_harness_left_is_taken_away_by_the_next_one_and_what_lives_is_not() throws Exception {
        assumeTrue(Namespaces.isPossible(), "only root on Linux may make networks: not tested here");
        try (StartedProcess harness = StartedProcess.java(List.of("-Xmx64m"), NetworkHolder.class)) {
            String said = harness.awaitLine(line -> line.matches("\\d+"));
            ProcessHandle inside = ProcessHandle.of(Long.parseLong(said)).orElseThrow();

            openAndClose();
            assertThat(inside.isAlive()).as("of a harness that lives").isTrue();
            assertThat(named(harness.process())).hasSize(3);

            harness.kill();
            assertThat(inside.isAlive()).as("of a harness that was killed").isTrue();
            openAndClose();

            inside.onExit().get(10, TimeUnit.SECONDS);
            assertThat(named(harness.process())).isEmpty();
        }
    }

    private static void openAndClose() throws IOException, InterruptedException {
        Namespaces.open(Optional.empty()).close();
    }

    /** The namespace, the bridge and the cable that bear the number of this process. */
    private static List<String> named(Process process) throws IOException {
        List<String> names = new ArrayList<>();
        for (Path folder : List.of(Path.of("/run/netns"), Path.of("/sys/class/net"))) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, "sl" + process.pid() + "[bn]*")) {
                entries.forEach(entry -> names.add(entry.getFileName().toString()));
            }
        }
        return names;
    }
}
