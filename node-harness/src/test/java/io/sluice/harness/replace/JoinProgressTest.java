package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.admin.VolumeStatus;
import io.sluice.harness.agent.AgentMessages.NamedWait;
import io.sluice.harness.agent.AgentMessages.Progress;
import io.sluice.harness.replace.JoinProgress.Stage;
import io.sluice.streaming.progress.SessionProgress.TableProgress;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an operator sees of a join. */
class JoinProgressTest {
    private static final String ONE = "10.0.0.1:7000";
    private static final String TWO = "10.0.0.2:7000";
    private static final TableRef USERS = new TableRef(new UUID(3, 3), "shop", "users");
    private static final TableRef CARTS = new TableRef(new UUID(4, 4), "shop", "carts");
    private static final long MIB = 1 << 20;

    private final List<String> lines = new ArrayList<>();
    private long nanos = TimeUnit.HOURS.toNanos(5); // a clock begins anywhere
    private long limit;
    private final JoinProgress progress = new JoinProgress(lines::add, () -> nanos);
    private FakeAgent agent;
    private Member source;

    @BeforeEach
    void start() throws IOException {
        agent = new FakeAgent(ONE);
        source = new Member(agent.client(), agent.client().status());
    }

    @AfterEach
    void stop() throws IOException {
        agent.close();
    }

    private void pass(long seconds) {
        nanos += TimeUnit.SECONDS.toNanos(seconds);
    }

    private void expect() {
        progress.expects(new Amounts(List.of(
                new Amounts.Amount("shop", ONE, 4, Map.of("users", 80 * MIB, "carts", 20 * MIB)),
                new Amounts.Amount("shop", TWO, 4, Map.of("users", 90 * MIB, "carts", 10 * MIB)))));
    }

    private Progress received(TableProgress... tables) {
        return new Progress(
                List.of(tables),
                Optional.of(new NamedWait("bytes", 2)),
                limit,
                List.of(new VolumeStatus("/data/one/.sluice/staging", 500 * MIB, 60 * MIB, 0, 3, Optional.empty())),
                Optional.empty());
    }

    private void receive(long users) {
        progress.receives(source, List.of(USERS), received(new TableProgress(USERS.id(), 80 * MIB, users)));
    }

    private String step() {
        return progress.step().text(0);
    }

    @Test
    void the_first_wait_begins_with_the_join() {
        pass(2);

        assertThat(step()).endsWith("waits for answers of the agents, 2 s");
    }

    @Test
    void before_it_is_known_what_comes_the_wait_has_a_name() {
        progress.waitsFor("snapshots of 4 tables at " + ONE);
        pass(7);

        assertThat(step()).isEqualTo("preparing, for 0 s; waits for snapshots of 4 tables at " + ONE + ", 7 s");
        assertThat(progress.details()).containsExactly("  waits for snapshots of 4 tables at " + ONE + ", 7 s");
    }

    @Test
    void bytes_of_all_sources_are_one_sum() {
        expect();
        receive(40 * MIB);

        assertThat(step())
                .isEqualTo("bringing: 20.0 %, 40.00 MiB of 200.00 MiB; from " + ONE + " 40 %, " + TWO
                        + " 0 %; waits for bytes, fetching from " + ONE + ", 2 s");
    }

    @Test
    void sources_tables_and_volumes_have_a_line_each() {
        expect();
        receive(0);
        progress.step(); // as a screen asks
        pass(4);
        receive(40 * MIB);
        progress.step();

        assertThat(progress.details())
                .containsExactly(
                        "  10.0 MiB/s, 16 s left, waits for bytes, fetching from " + ONE + ", 2 s",
                        "  source         received                        rate        imported",
                        "  10.0.0.1:7000  40.00 MiB of 100.00 MiB (40 %)  10.0 MiB/s  0 of 2 tables",
                        "  10.0.0.2:7000  0 B of 100.00 MiB (0 %)         -           0 of 2 tables",
                        "  table       received                        sources",
                        "  shop.users  40.00 MiB of 170.00 MiB (23 %)  1 ahead, 1 receiving",
                        "  shop.carts  0 B of 30.00 MiB (0 %)          2 ahead",
                        "  volume     free        still to come  operations that wait for its disk",
                        "  /data/one  500.00 MiB  60.00 MiB      3");
    }

    @Test
    void an_estimate_that_was_too_low_is_not_passed() {
        expect();
        progress.receives(source, List.of(USERS), received(new TableProgress(USERS.id(), 300 * MIB, 310 * MIB)));
        progress.landed(source, CARTS, 25 * MIB);

        assertThat(step()).startsWith("bringing: 76.5 %, 325.00 MiB of 425.00 MiB; from " + ONE + " 100 %");
    }

    @Test
    void all_is_there_when_all_is_imported() {
        expect();
        progress.landed(source, USERS, 70 * MIB);
        progress.landed(source, CARTS, 0);
        progress.imported(USERS);
        progress.imported(CARTS);

        assertThat(step()).startsWith("bringing: 100.0 %, 170.00 MiB of 170.00 MiB; from " + ONE + " 100 %");
        assertThat(progress.details()).anyMatch(line -> line.endsWith("2 of 2 tables"));
    }

    @Test
    void what_an_earlier_run_has_brought_counts_neither_for_the_rate_nor_for_the_time_left() throws IOException {
        expect();
        progress.step();
        progress.at(source, USERS, Stage.VERIFYING);
        progress.landed(source, USERS, 80 * MIB);
        progress.receives(source, List.of(CARTS), received(new TableProgress(CARTS.id(), 20 * MIB, 0)));
        progress.step();
        pass(10);
        progress.receives(source, List.of(CARTS), received(new TableProgress(CARTS.id(), 20 * MIB, 10 * MIB)));
        progress.step();

        assertThat(step()).startsWith("bringing: 45.0 %, 90.00 MiB of 200.00 MiB; ");
        assertThat(progress.details().get(0)).startsWith("  1.00 MiB/s, 110 s left, ");
        assertThat(progress.details()).anyMatch(line -> line.matches("  10.0.0.1:7000 .* 1.00 MiB/s .*"));
    }

    @Test
    void what_a_transfer_that_goes_on_had_brought_before_does_not_count_either() throws IOException {
        expect();
        progress.receives(source, List.of(USERS), received()); // it is asked for, and nothing is known of it yet
        progress.step();
        receive(70 * MIB);
        progress.step();
        pass(10);
        receive(80 * MIB);
        progress.step();

        assertThat(progress.details().get(0)).startsWith("  1.00 MiB/s, 120 s left, ");
    }

    @Test
    void what_is_there_before_it_was_seen_to_arrive_counts_as_a_whole() throws IOException {
        expect();
        progress.receives(source, List.of(USERS), received());
        progress.step();
        pass(10);
        progress.landed(source, USERS, 80 * MIB);
        progress.step();

        assertThat(progress.details().get(0)).startsWith("  8.00 MiB/s, 15 s left, ");
    }

    @Test
    void what_a_table_is_about_has_a_name() {
        expect();
        receive(0);
        receive(80 * MIB);
        progress.at(source, USERS, Stage.VERIFYING);
        progress.waitsFor("digests of shop.users at " + ONE);
        pass(90);

        assertThat(progress.details())
                .contains("  135 s left, waits for digests of shop.users at " + ONE + ", 90 s")
                .anyMatch(line -> line.endsWith("1 ahead, 1 verifying"));
    }

    @Test
    void a_keyspace_that_is_left_to_cassandra_is_not_waited_for() {
        expect();
        progress.leaves("shop");

        assertThat(step()).startsWith("preparing, for 0 s; ");
    }

    @Test
    void a_heartbeat_without_an_answer_is_said_until_one_has_it() {
        progress.waitsFor("bytes");
        progress.heartbeat(Optional.of("connection refused"));
        assertThat(step()).endsWith("waits for bytes, 0 s; no heartbeat: connection refused");

        progress.heartbeat(Optional.empty());
        assertThat(step()).endsWith("waits for bytes, 0 s");
    }

    @Test
    void a_limit_is_said() {
        expect();
        limit = 5 * MIB;
        receive(0);

        assertThat(step()).endsWith("; limit 5.00 MiB/s, waits for bytes, fetching from " + ONE + ", 2 s");
    }

    @Test
    void many_tables_fit_on_a_terminal() {
        progress.expects(new Amounts(IntStream.range(0, 9)
                .mapToObj(i -> new Amounts.Amount(
                        "shop",
                        "10.0.0." + i + ":7000",
                        1,
                        IntStream.range(0, 40)
                                .boxed()
                                .collect(Collectors.toMap(number -> "table" + number, number -> MIB))))
                .toList()));
        receive(1);

        assertThat(progress.details())
                .hasSizeLessThanOrEqualTo(21)
                .contains("  and 4 more sources", "  and 35 more tables");
    }
}
