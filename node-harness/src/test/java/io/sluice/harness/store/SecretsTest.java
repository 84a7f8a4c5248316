package io.sluice.harness.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.cli.Main;
import io.sluice.tools.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rows, keys of partitions, keys of TLS and tokens are found in no log, report or output of a run with all of them. */
@Timeout(180)
@Tag("full")
class SecretsTest {
    private static final String ROW = "MARKER-OF-A-ROW-7f3a";
    private static final String KEY = "MARKER-OF-A-KEY-9c1d";
    private static final List<String> DATA = List.of("Data.db", "Index.db", "Statistics.db", "Summary.db");

    @TempDir
    private Path temporary = Path.of("");

    private Path data() throws IOException {
        Path data = temporary.resolve("source");
        try (LocalStore store =
                LocalStore.open(data, new StoreOptions(SyncPolicy.BATCH, 64 << 20, CompactionStrategy.NONE))) {
            store.load();
            store.createTable(Tables.PLAIN, Tables.PLAIN_CQL);
            List<Mutation> mutations = new ArrayList<>();
            for (int i = 0; i < 5_000; i++) {
                mutations.add(Tables.insert(KEY + i, 1, ROW + i));
            }
            store.write(Tables.PLAIN.id(), mutations);
            store.flush();
        }
        return data;
    }

    private int run(Path out, String... more) throws Exception {
        return JavaCommand.process(List.of(), Main.class, (Object[]) more)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start()
                .waitFor();
    }

    @Test
    void a_run_that_fails_and_one_that_does_not_tell_no_secret() throws Exception {
        Path work = temporary.resolve("work");
        Path out = temporary.resolve("out.txt");
        Path kill = Files.writeString(temporary.resolve("kill.yaml"), """
                operation: replace-node
                nodes: 3
                replication_factor: 3
                tls: true
                data: DATA
                faults:
                  - fault: corrupt
                    at: 0%
                    node: source
                """.replace("DATA", data().toString()));

        String config = Path.of("..", "conf", "sluice.yaml").toString();
        run(out, "run", kill.toString(), "--config", config, "--work-dir", work.toString());

        List<String> secrets = new ArrayList<>(List.of(ROW, KEY));
        try (Stream<Path> keys = Files.walk(work.resolve("tls"))) {
            for (Path key :
                    keys.filter(file -> file.toString().endsWith(".key")).toList()) {
                secrets.add(Files.readAllLines(key).get(1)); // of the PEM, after its first line
            }
        }
        assertThat(secrets).hasSizeGreaterThan(4);
        List<Path> searched = new ArrayList<>(List.of(out));
        try (Stream<Path> files = Files.walk(work)) {
            files.filter(Files::isRegularFile)
                    .filter(SecretsTest::isToldToPeople)
                    .forEach(searched::add);
        }
        assertThat(searched).anyMatch(file -> file.endsWith("node.log")).anyMatch(file -> file.endsWith("report.json"));
        assertThat(Files.readString(out, UTF_8)).as("what was printed").contains("Report: ");
        for (Path file : searched) {
            String content = Files.readString(file, ISO_8859_1);
            for (String secret : secrets) {
                assertThat(content.contains(secret))
                        .as("%s in %s", secret, file)
                        .isFalse();
            }
        }
    }

    /** All but the data itself, which the ledger of what was written is part of, and the keys. */
    private static boolean isToldToPeople(Path file) {
        String name = file.getFileName().toString();
        return !name.endsWith(".key")
                && DATA.stream().noneMatch(name::endsWith)
                && Stream.of("commitlog", "ledger").noneMatch(file.toString()::contains);
    }
}
