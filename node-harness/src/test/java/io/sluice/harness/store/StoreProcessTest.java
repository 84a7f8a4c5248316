package io.sluice.harness.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.tools.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
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
        Process writer = JavaCommand.process(
                        List.of("-Xmx128m", "-Dlogback.configurationFile=none.xml"),
                        WriterProcess.class,
                        temporary,
                        policy.name(),
                        first)
                .redirectError(temporary.resolve("errors").toFile())
                .start();
        Set<Long> seen = new HashSet<>();
        try (BufferedReader out = writer.inputReader(StandardCharsets.US_ASCII)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (line.matches("\\d+")) {
                    seen.add(Long.parseLong(line));
                }
                if (seen.size() == acknowledgements) {
                    writer.toHandle().destroyForcibly(); // that of Process would close the pipe, with what is in it
                }
            }
        }
        writer.waitFor();
        return seen;
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
