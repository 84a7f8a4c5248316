package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sluice.harness.agent.AgentMessages.Fetch;
import io.sluice.harness.agent.AgentMessages.Import;
import io.sluice.harness.agent.AgentMessages.Imported;
import io.sluice.harness.agent.AgentMessages.Landed;
import io.sluice.harness.agent.AgentMessages.Proof;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What has landed is in the node's tables, or where it was: a node that takes nothing is not believed. Long because
 * each loss between landing and import is tried.
 */
class LandingsTest {
    private static final TableRef USERS = new TableRef(new UUID(3, 3), "shop", "users");
    private static final UUID COORDINATOR = new UUID(5, 5);
    private static final UUID PLAN = new UUID(1, 1);
    private static final UUID OTHER = new UUID(2, 2);
    private static final UUID EMPTY = new UUID(6, 6);
    private static final UUID OPERATION = new UUID(7, 7);
    private static final UUID SOURCE = new UUID(4, 4);
    private static final TokenRanges RANGES = TokenRanges.of(TokenRange.of(0, 50));

    @TempDir
    private Path folder = Path.of("");

    private Path live = Path.of("");
    private List<Path> homes = List.of();
    private final FakeNode node = new FakeNode();
    private final List<Path> synced = new ArrayList<>();

    /** Moves what it is given into one folder, as Cassandra does; or says so and takes nothing, or refuses. */
    private final class FakeNode implements ImportTarget {
        private final List<List<Path>> calls = new ArrayList<>();
        private List<TableRef> tables = List.of(USERS);
        private boolean takes = true;
        private List<String> refused = List.of();
        private boolean isOnTwoVolumes;
        private final CountDownLatch isImporting = new CountDownLatch(1);
        private CountDownLatch mayImport = new CountDownLatch(0);

        @Override
        public List<TableRef> tables() {
            return tables;
        }

        @Override
        public List<Path> folders(TableRef table) {
            return List.of(live, folder.resolve("other volume"));
        }

        @Override
        public List<String> importSSTables(TableRef table, Collection<Path> folders) throws IOException {
            calls.add(List.copyOf(folders));
            isImporting.countDown();
            Uninterruptibles.awaitUninterruptibly(mayImport);
            for (Path from : takes ? folders : List.<Path>of()) {
                for (Path file : files(from)) {
                    take(file);
                }
            }
            return refused;
        }

        /** A file that goes to another volume is copied. */
        private void take(Path file) throws IOException {
            String name = String.valueOf(file.getFileName());
            if (isOnTwoVolumes) {
                Path volume = Files.createDirectories(folder.resolve("other volume"));
                Files.copy(file, volume.resolve(name));
                Files.delete(file);
            } else {
                Files.move(file, live.resolve(name));
            }
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    @BeforeEach
    void volumes() throws IOException {
        live = Files.createDirectories(folder.resolve("live"));
        homes = List.of(
                Files.createDirectories(folder.resolve("a").resolve(".sluice")),
                Files.createDirectories(folder.resolve("b").resolve(".sluice")));
    }

    private static Fetch order(UUID plan) {
        Node source = new Node(SOURCE, "10.0.0.1:7010", new Address("10.0.0.1", 7010), List.of());
        return new Fetch(COORDINATOR, OPERATION, plan, Operation.REPLACE, source, List.of(USERS), RANGES);
    }

    private Landings landings() throws IOException {
        return new Landings(
                node,
                homes,
                Map.of(PLAN, order(PLAN), OTHER, order(OTHER), EMPTY, order(EMPTY)),
                new ImportedFiles(file -> {
                    new LocalFiles().syncFile(file);
                    synced.add(file);
                }));
    }

    /** A set of one SSTable of two components on a volume. */
    private void land(int id, UUID plan, int volume) throws IOException {
        Path where = landings().folder(USERS, homes.get(volume));
        Files.writeString(where.resolve("nb-" + id + "-big-Data.db"), "rows");
        Files.writeString(where.resolve("nb-" + id + "-big-Index.db"), "index");
        boolean isKnown =
                landings().add(new UUID(9, id), plan, USERS, List.of(where.resolve("nb-" + id + "-big-Data.db")));
        assertThat(isKnown).isTrue();
    }

    /** What was verified of these plans: in this test all SSTables have the same length. */
    private Imported importAll(int sstables, long bytes, UUID... plans) throws IOException {
        List<Proof> proofs = new ArrayList<>();
        for (int i = 0; i < plans.length; i++) { // what the others have is counted with the first
            proofs.add(proof(plans[i], i == 0 ? sstables - plans.length + 1 : 1, i == 0 ? bytes : 0));
        }
        return landings().importAll(new Import(COORDINATOR, USERS, proofs));
    }

    private static Proof proof(UUID plan, int sstables, long bytes) {
        return new Proof(plan, "10.0.0.1:7000", 1, 0, 3, 300, sstables, bytes, "0");
    }

    @Test
    void all_sets_of_a_table_are_imported_in_one_call() throws IOException {
        land(1, PLAN, 0);
        land(2, OTHER, 1);

        Imported imported = importAll(2, 18, PLAN, OTHER);

        assertThat(imported).isEqualTo(new Imported(2, 18));
        assertThat(node.calls).hasSize(1);
        assertThat(node.calls.get(0)).hasSize(2);
        assertThat(files(live)).hasSize(4);
    }

    @Test
    void what_an_import_has_copied_to_another_volume_is_synced_before_it_is_recorded() throws IOException {
        land(1, PLAN, 0);
        land(2, OTHER, 1);
        node.isOnTwoVolumes = true;

        importAll(2, 18, PLAN, OTHER);

        assertThat(files(folder.resolve("other volume"))).hasSize(4);
        assertThat(synced).containsAll(files(folder.resolve("other volume")));
    }

    @Test
    void a_copy_of_an_import_that_failed_is_synced_by_the_next_one() throws IOException {
        land(1, PLAN, 0);
        Path copied = Files.writeString(live.resolve("nb-9-big-Data.db"), "rows");

        importAll(1, 9, PLAN);

        assertThat(synced).contains(copied);
    }

    @Test
    void a_file_that_is_compacted_while_it_is_synced_is_not_missed() throws IOException {
        Files.writeString(live.resolve("nb-9-big-Data.db"), "rows");
        ImportedFiles imported = new ImportedFiles(file -> {
            throw new NoSuchFileException(file.toString());
        });

        assertThatCode(() -> imported.sync(live)).doesNotThrowAnyException();
    }

    @Test
    void what_was_verified_and_removed_since_is_not_taken_for_imported() throws IOException {
        land(1, PLAN, 0);
        landings()
                .discard(
                        Optional.empty(),
                        true); // by a second coordinator, while the first one fetches from another source
        land(2, OTHER, 1);

        assertThatThrownBy(() -> importAll(2, 18, PLAN, OTHER))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("shop.users: nothing is there of plan " + PLAN + ", which was verified");
        assertThat(node.calls).isEmpty();
        assertThat(files(live)).isEmpty();
    }

    @Test
    void less_than_was_verified_is_not_imported() throws IOException {
        land(1, PLAN, 0);
        assertThat(landings().bytes(PLAN, USERS)).isEqualTo(9);

        assertThatThrownBy(() -> importAll(2, 18, PLAN))
                .hasMessageContaining("1 SSTables of 9 bytes are there (expected: 2 of 18,");
        assertThatThrownBy(() -> importAll(1, 18, PLAN)).hasMessageContaining("importing nothing");
        assertThat(node.calls).isEmpty();
    }

    @Test
    void an_sstable_that_is_gone_is_named() throws IOException {
        land(1, PLAN, 0);
        Files.delete(landings().folder(USERS, homes.get(0)).resolve("nb-1-big-Data.db"));

        assertThatThrownBy(() -> importAll(1, 9, PLAN)).hasMessageContaining("nb-1-big-Data.db: the file is gone");
        assertThat(node.calls).isEmpty();
    }

    @Test
    void what_lies_beside_an_sstable_is_imported_with_it() throws IOException {
        land(1, PLAN, 0);
        Path where = landings().folder(USERS, homes.get(0));
        Files.writeString(where.resolve("nb-1-big-SAI+aa+by_name+Meta.db"), "index");
        Files.writeString(where.resolve("nb-1-big-Scylla.db"), "more");

        Imported imported = importAll(1, 18, PLAN);

        assertThat(imported).isEqualTo(new Imported(1, 18));
        assertThat(files(where)).isEmpty();
        assertThat(files(live)).hasSize(4);
    }

    @Test
    void the_names_above_the_files_are_those_of_the_table() throws IOException {
        land(1, PLAN, 0);

        importAll(1, 9, PLAN);

        assertThat(node.calls.get(0).get(0).toString())
                .endsWith(Path.of("shop", "users-00000000000000030000000000000003")
                        .toString());
    }

    @Test
    void a_node_that_takes_nothing_and_says_nothing_has_not_imported() throws IOException {
        land(1, PLAN, 0);
        node.takes = false;

        assertThatThrownBy(() -> importAll(1, 9, PLAN))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("shop.users: the node did not import [")
                .hasMessageContaining("nb-1-big-Data.db");
        node.takes = true;
        importAll(1, 9, PLAN);
        assertThat(files(live)).as("asked again, after whatever it was").hasSize(2);
    }

    @Test
    void a_folder_that_is_refused_is_said() throws IOException {
        land(1, PLAN, 0);
        node.refused = List.of("/x");

        assertThatThrownBy(() -> importAll(1, 9, PLAN))
                .hasMessage("shop.users: the node refused to import [/x] (its log says why; run the command again:"
                        + " the table is fetched anew)");
    }

    @Test
    void a_table_that_was_dropped_gets_nothing() throws IOException {
        land(1, PLAN, 0);
        node.tables = List.of(new TableRef(new UUID(4, 4), "shop", "users"));

        assertThatThrownBy(() -> importAll(1, 9, PLAN)).hasMessageContaining("was dropped at this node");
        assertThat(node.calls).isEmpty();
    }

    @Test
    void what_nobody_goes_on_with_is_removed() throws IOException {
        land(1, PLAN, 0);
        land(2, OTHER, 1);

        landings().discard(Optional.empty(), true);

        assertThat(landings().open(PLAN, USERS)).isEmpty();
        assertThat(files(homes.get(0).resolve("landed"))).isEmpty();
        assertThat(files(homes.get(1).resolve("landed"))).isEmpty();
    }

    @Test
    void what_has_landed_for_an_operation_that_continues_is_kept() throws IOException {
        land(1, PLAN, 0);

        landings().discard(Optional.of(OPERATION), true);

        assertThat(landings().landed(OPERATION))
                .containsExactly(new Landed(PLAN, SOURCE, USERS, RANGES, 9, Optional.empty()));
        assertThat(landings().landed(new UUID(8, 8))).isEmpty();
        assertThat(importAll(1, 9, PLAN)).isEqualTo(new Imported(1, 9));
    }

    @Test
    void what_has_landed_for_another_operation_is_removed() throws IOException {
        land(1, PLAN, 0);

        landings().discard(Optional.of(new UUID(8, 8)), true);

        assertThat(landings().landed(OPERATION)).isEmpty();
        assertThat(files(homes.get(0).resolve("landed"))).isEmpty();
    }

    @Test
    void what_is_imported_is_known_with_its_proof_also_that_a_source_has_nothing() throws IOException {
        land(1, PLAN, 0);
        Proof some = proof(PLAN, 1, 9);
        Proof none = proof(EMPTY, 0, 0);

        landings().importAll(new Import(COORDINATOR, USERS, List.of(some, none)));
        landings().discard(Optional.of(OPERATION), true);

        assertThat(landings().landed(OPERATION))
                .containsExactlyInAnyOrder(
                        new Landed(PLAN, SOURCE, USERS, RANGES, 9, Optional.of(some)),
                        new Landed(EMPTY, SOURCE, USERS, RANGES, 0, Optional.of(none)));
    }

    @Test
    void what_an_import_has_begun_to_move_is_not_kept() throws IOException {
        land(1, PLAN, 0);
        land(2, OTHER, 1);
        node.takes = false;
        assertThatThrownBy(() -> importAll(2, 18, PLAN, OTHER)).hasMessageContaining("did not import");

        landings().discard(Optional.of(OPERATION), true);

        assertThat(landings().landed(OPERATION)).isEmpty();
        assertThat(files(homes.get(0).resolve("landed"))).isEmpty();
        assertThat(files(homes.get(0).resolve("import"))).isEmpty();
    }

    @Test
    void a_file_that_is_about_to_get_its_set_stays_while_something_lands() throws IOException {
        land(1, PLAN, 0);
        Path where = landings().folder(USERS, homes.get(0));
        Path landing = Files.writeString(where.resolve("nb-2-big-Data.db"), "rows");

        landings().discard(Optional.of(OPERATION), false);
        assertThat(landing).exists();

        landings().discard(Optional.of(OPERATION), true);
        assertThat(landing).doesNotExist();
        assertThat(where.resolve("nb-1-big-Data.db")).exists();
    }

    @Test
    @Timeout(60)
    void thousands_of_sstables_are_counted_and_imported() throws IOException {
        int number = 4_000;
        Path where = landings().folder(USERS, homes.get(0));
        List<Path> data = new ArrayList<>();
        for (int id = 1; id <= number; id++) {
            for (String component : List.of("Index.db", "Filter.db", "Summary.db", "Statistics.db", "TOC.txt")) {
                Files.createFile(where.resolve("nb-" + id + "-big-" + component));
            }
            data.add(Files.writeString(where.resolve("nb-" + id + "-big-Data.db"), "rows"));
        }
        landings().add(new UUID(9, 1), PLAN, USERS, data);

        assertThat(landings().bytes(PLAN, USERS)).isEqualTo(number * 4L);
        assertThat(landings().landed(OPERATION)).extracting(Landed::bytes).containsExactly(number * 4L);
        landings().discard(Optional.of(OPERATION), true);
        assertThat(importAll(number, number * 4L, PLAN)).isEqualTo(new Imported(number, number * 4L));
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void what_lands_and_questions_do_not_wait_for_an_import() throws Exception {
        land(1, PLAN, 0);
        Landings landings = landings();
        node.mayImport = new CountDownLatch(1);
        CompletableFuture<Imported> importing = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return landings.importAll(new Import(COORDINATOR, USERS, List.of(proof(PLAN, 1, 9))));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                task -> {
                    Thread thread = new Thread(task);
                    thread.setDaemon(true); // it may hang
                    thread.start();
                });
        node.isImporting.await();

        assertThat(landings.add(new UUID(9, 2), OTHER, USERS, List.of())).isTrue();
        assertThat(landings.bytes(OTHER, USERS)).isZero();
        assertThat(landings.landed(OPERATION)).extracting(Landed::planId).contains(OTHER);

        node.mayImport.countDown();
        assertThat(importing.get()).isEqualTo(new Imported(1, 9));
    }

    @Test
    void what_a_forgotten_plan_has_brought_is_not_taken() throws IOException {
        assertThat(landings().add(new UUID(9, 1), new UUID(8, 8), USERS, List.of()))
                .isFalse();
        assertThat(files(homes.get(0).resolve("sets"))).isEmpty();
    }
}
