package io.sluice.harness.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that writes is killed, again and again, wherever it is. */
@Timeout(180)
@Tag("full")
class StoreProcessTest {
    private static final int KILLS = 6;

    @TempDir
    private Path temporary = Path.of("");

    @ParameterizedTest
    @EnumSource(SyncPolicy.class)
    void no_acknowledged_write_is_lost_by_sigkill(SyncPolicy policy) throws Exception {
        SplittableRandom random = new SplittableRandom(policy.name().length());
        Set<Long> acknowledged = new HashSet<>();
        for (int kill = 0; kill < KILLS; kill++) {
            long before = acknowledged.size();
            acknowledged.addAll(writeUntilKilled(policy, kill * 1_000_000L, 200 + random.nextInt(800)));
            assertThat(acknowledged.size()).as("writes before kill %d", kill).isGreaterThan((int) before);
        }

        assertThat(kept(acknowledged)).isEqualTo(acknowledged);
    }

    private Set<Long> writeUntilKilled(SyncPolicy policy, long first, int acknowledgements) throws Exception {
        List<String> words = JavaCommand.words(
                List.of("-Xmx128m", "-Dlogback.configurationFile=none.xml"),
                WriterProcess.class.getName(),
                temporary,
                policy.name(),
                first);
        try (StartedProcess writer = StartedProcess.start(new ProcessBuilder(words)
                .redirectError(temporary.resolve("errors").toFile()))) {
            for (int acknowledged = 0; acknowledged < acknowledgements; acknowledged++) {
                writer.awaitLine(line -> line.matches("\\d+"));
            }
            writer.kill();
            return writer.lines().stream()
                    .filter(line -> line.matches("\\d+"))
                    .map(Long::parseLong)
                    .collect(Collectors.toSet());
        }
    }

    private Set<Long> kept(Set<Long> numbers) throws IOException {
        try (LocalStore store = LocalStore.open(temporary, StoreOptions.DEFAULTS)) {
            store.load();
            List<PartitionKey> keys = new ArrayList<>();
            numbers.forEach(number -> keys.add(PartitionKey.of(Bytes.utf8("k" + number))));
            Set<Long> kept = new HashSet<>();
            try (TableView view = store.view(Tables.PLAIN.id())) {
                view.read(keys)
                        .forEach(found -> kept.add(
                                Long.parseLong(found.key().bytes().utf8().substring(1))));
            }
            return kept;
        }
    }
}
