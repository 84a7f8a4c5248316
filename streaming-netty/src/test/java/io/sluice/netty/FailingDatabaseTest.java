package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.engine.send.SendingSessions;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import io.sluice.tools.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * A database that throws whatever there is, from each of its methods: the plan ends soon, both ends say why, nothing
 * stays behind, and the next plan succeeds. Long because each method fails in its own way.
 */
@Timeout(300)
@ExtendWith(LeakCheck.class)
class FailingDatabaseTest {
    /** A plan that meets a failing database ends before any deadline has a part in it. */
    private static final long SECONDS_TO_END = 20;

    private static final String OBSOLETE = "pin.obsoleteBytes";
    /** Calls of the source's database. */
    private static final List<String> AT_SOURCE = List.of(
            "table", "schemaDigest", "liveDirectory", "pin", "pin.sstables", "pin.onlyRows", OBSOLETE, "pin.close");

    /** Calls of the receiver's database, in the order in which they come. */
    private static final List<String> AT_RECEIVER = List.of(
            "table",
            "schemaDigest",
            "writesSince",
            "expectArrivals",
            "newId",
            "arrived",
            "permit",
            "liveDirectory",
            "permit.isRevoked",
            "activate",
            "activated",
            "permit.release",
            "endArrivals");

    /** They say that something is over, or ask what nobody needs to know: no plan fails for them. */
    private static final Set<String> HARMLESS =
            Set.of(OBSOLETE, "pin.close", "writesSince", "arrived", "permit.release", "endArrivals");

    /** They come before there is a session: the source has no part in it. */
    private static final Set<String> BEFORE_SESSIONS = Set.of("table", "schemaDigest", "expectArrivals");

    /** What is thrown. */
    enum Kind {
        ASSERTION,
        STACK,
        MEMORY,
        CLASS,
        RUNTIME,
        INPUT_OUTPUT;

        Throwable make(String message) {
            return switch (this) {
                case ASSERTION -> new AssertionError(message);
                case STACK -> new StackOverflowError(message);
                case MEMORY -> new OutOfMemoryError(message);
                case CLASS -> new NoClassDefFoundError(message);
                case RUNTIME -> new IllegalStateException(message);
                case INPUT_OUTPUT -> new IOException(message);
            };
        }

        boolean isOfTheMachine() {
            return make("") instanceof VirtualMachineError;
        }
    }

    /** What was given to who executed a plan. */
    private record Executed(CompletableFuture<PlanResult> result) {}

    /** What a call threw in the plan that was executed then. */
    private record Thrown(boolean failsPlan, CompletableFuture<Executed> plan) {
        /**
         * A plan may end before the thread that executes it is back: what it was given is asked, not a thread that
         * notes the end some time later.
         */
        boolean isEnded() {
            return plan.orTimeout(SECONDS_TO_END, SECONDS).join().result().isDone();
        }
    }

    /** How the tables travel. */
    enum Way {
        WHOLE,
        SLICES,
        ROWS
    }

    @TempDir
    Path temp;

    private final AtomicInteger calls = new AtomicInteger();
    /** What the install waits for, if it does. */
    private volatile Optional<CountDownLatch> install = Optional.empty();

    private volatile Optional<String> failing = Optional.empty();
    private volatile Kind thrown = Kind.ASSERTION;
    /** By the error: the second error of a plan may be handed on when the next plan runs already. */
    private final Map<Throwable, Thrown> thrownErrors = new ConcurrentHashMap<>();

    private final List<Throwable> handedOn = new CopyOnWriteArrayList<>();
    private final List<String> early = new CopyOnWriteArrayList<>();
    /** The result of the plan that was executed last, once there is one; at first there is nothing to wait for. */
    private volatile CompletableFuture<Executed> executed =
            CompletableFuture.completedFuture(new Executed(CompletableFuture.failedFuture(new IOException("no plan"))));

    private final ListAppender<ILoggingEvent> saidAtSource = new ListAppender<>();
    private Thread.UncaughtExceptionHandler handlerBefore = (thread, error) -> {};

    private DirectoryStore from;
    private DirectoryStore to;
    private Node source;
    private StreamingNode sender;
    private StreamingNode receiver;

    @BeforeEach
    void start_two_nodes() throws IOException {
        from = TestTables.store(temp.resolve("source"), 2, 32 << 10);
        to = TestTables.store(temp.resolve("target"), 2, 0);
        source = TestTables.node("source");
        sender = StreamingNode.start(
                source, options(result -> {}), InterceptedStore.of(from, call -> called("source " + call)));
        receiver = StreamingNode.start(
                TestTables.node("target"),
                options(result -> {}),
                InterceptedStore.of(to, call -> called("receiver " + call)));
        saidAtSource.start();
        ((Logger) LoggerFactory.getLogger(SendingSessions.class.getPackageName())).addAppender(saidAtSource);
        handlerBefore = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
            Thrown in = thrownErrors.get(error);
            if (in != null && in.failsPlan() && !in.isEnded()) {
                early.add(error.toString());
            }
            handedOn.add(error);
        });
    }

    @AfterEach
    void stop_them() {
        receiver.close();
        sender.close();
        Thread.setDefaultUncaughtExceptionHandler(handlerBefore);
        ((Logger) LoggerFactory.getLogger(SendingSessions.class.getPackageName())).detachAppender(saidAtSource);
        assertThat(early).as("handed on before the plan had ended").isEmpty();
    }

    private static StreamOptions options(Consumer<PlanResult> finished) {
        return StreamOptions.builder()
                .connectionsPerHost(1)
                .listener(Results.to(finished), Runnable::run)
                .retries(new RetryPolicy(2, 10, Duration.ofMillis(5), Duration.ofMillis(10)))
                .build();
    }

    private void called(String call) throws Throwable {
        Optional<CountDownLatch> go = install;
        if (call.equals("receiver activate") && go.isPresent()) {
            go.get().await();
        }
        if (failing.filter(call::equals).isPresent()) {
            calls.incrementAndGet();
            boolean failsPlan =
                    call.startsWith("receiver ") && !HARMLESS.contains(call.substring("receiver ".length()));
            Throwable error = thrown.make("boom in " + call);
            thrownErrors.put(error, new Thrown(failsPlan, executed));
            throw error;
        }
    }

    private StreamPlan plan(Way way, int... tables) {
        from.onlyRows = way == Way.ROWS ? "it has a view" : "";
        TokenRanges ranges = way == Way.WHOLE
                ? TokenRanges.FULL
                : TokenRanges.of(TokenRange.of(Long.MIN_VALUE / 2, Long.MAX_VALUE / 2));
        return new StreamPlan(
                UUID.randomUUID(),
                Operation.REPLACE,
                Arrays.stream(tables)
                        .mapToObj(number -> new StreamRequest(source, TestTables.table(number), ranges))
                        .toList());
    }

    /** Each of two sessions has a table: what pins keep is asked when the second one begins. */
    private PlanResult executeBesideAnother(Way way) throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        install = Optional.of(go);
        try {
            CompletableFuture<PlanResult> first = receiver.execute(plan(way, 0));
            await("a pin is open").until(() -> sender.pins().open() == 1); // until the install has ended
            executed = new CompletableFuture<>();
            CompletableFuture<PlanResult> second = receiver.execute(plan(way, 1));
            executed.complete(new Executed(second));
            await("what the pin keeps is asked").until(() -> calls.get() > 0);
            go.countDown();
            assertThat(first.get(SECONDS_TO_END, SECONDS).isComplete()).isTrue();
            return second.get(SECONDS_TO_END, SECONDS);
        } finally {
            go.countDown();
            install = Optional.empty();
        }
    }

    private PlanResult execute(Way way) throws Exception {
        executed = new CompletableFuture<>();
        CompletableFuture<PlanResult> result = receiver.execute(plan(way, 0, 1));
        executed.complete(new Executed(result));
        return result.get(SECONDS_TO_END, SECONDS);
    }

    private void check(String end, String call, Kind kind, Way way) throws Exception {
        String what = end + " " + call + ", " + kind + ", " + way;
        handedOn.clear();
        synchronized (saidAtSource) {
            saidAtSource.list.clear();
        }
        calls.set(0);
        thrown = kind;
        failing = Optional.of(end + " " + call);

        PlanResult result = call.equals(OBSOLETE) ? executeBesideAnother(way) : execute(way);

        await(what + ": sessions end").until(() -> sender.sending().join().isEmpty());
        await(what + ": pins go back").until(() -> sender.pins().open() == 0);
        await(what + ": it is called").until(() -> calls.get() > 0); // a pin is closed after it is counted as gone
        if (HARMLESS.contains(call)) {
            assertThat(result.isComplete()).as(what).isTrue();
        } else {
            assertThat(result.tables())
                    .as(what)
                    .allSatisfy(table -> assertThat(table.reason())
                            .contains("boom in " + end + " " + call)
                            .contains(kind.make("").getClass().getSimpleName())
                            .contains("the database failed in ")
                            .doesNotContain("ActivationUnconfirmedException"));
            if (!BEFORE_SESSIONS.contains(call) || end.equals("source")) {
                await(what + ": the source says why").until(() -> isSaidAtSource("boom in " + end + " " + call));
            }
        }
        if (kind.isOfTheMachine()) {
            await(what + ": handed on").until(() -> !handedOn.isEmpty());
        } else {
            assertThat(handedOn).as(what).isEmpty();
        }
        failing = Optional.empty();
        assertThat(execute(way).isComplete()).as("the next plan after " + what).isTrue();
    }

    private boolean isSaidAtSource(String words) {
        return List.copyOf(saidAtSource.list).stream()
                .anyMatch(event -> event.getFormattedMessage().contains(words));
    }

    private static ConditionFactory await(String what) {
        return Waiting.await().alias(what);
    }

    private void checkAll(Kind kind, Way way) throws Exception {
        for (String call : AT_SOURCE) {
            check("source", call, kind, way);
        }
        for (String call : AT_RECEIVER) {
            check("receiver", call, kind, way);
        }
    }

    @Test
    void an_assertion_fails_anywhere() throws Exception {
        checkAll(Kind.ASSERTION, Way.WHOLE);
    }

    @Test
    void the_stack_is_too_small_and_the_embedder_hears_of_it_afterwards() throws Exception {
        check("source", "pin", Kind.STACK, Way.ROWS);
        check("receiver", "expectArrivals", Kind.STACK, Way.ROWS);
        check("receiver", "activate", Kind.STACK, Way.ROWS);
    }

    @Test
    void an_io_exception_is_one_of_the_database_and_no_other() throws Exception {
        check("source", "pin", Kind.INPUT_OUTPUT, Way.WHOLE);
        for (String call : List.of("newId", "permit", "activate")) {
            check("receiver", call, Kind.INPUT_OUTPUT, Way.WHOLE);
        }
    }

    @Test
    void a_failure_behind_the_answer_of_the_database_says_that_the_table_is_live() throws Exception {
        to.onCall = call -> {
            if (call.startsWith("activated ")) {
                throw new StreamException(ErrorCode.DISCARDED, "gone!");
            }
        };

        PlanResult result = execute(Way.WHOLE);

        assertThat(to.live).hasSize(4);
        assertThat(result.tables()).hasSize(2).allSatisfy(table -> {
            assertThat(table.reason())
                    .startsWith("INTERNAL: the database failed in activated of " + table.table())
                    .contains("gone!; the table is live")
                    .doesNotContain("goes live");
        });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    @Tag("full")
    void anything_is_thrown_anywhere(Way way) throws Exception {
        for (Kind kind : Kind.values()) {
            checkAll(kind, way);
        }
    }

    @Test
    void a_listener_for_results_that_throws_an_error_changes_no_end() throws Exception {
        StreamOptions options = StreamOptions.builder()
                .listener(
                        Results.to(result -> {
                            throw new AssertionError("boom in the listener");
                        }),
                        Runnable::run)
                .build();
        try (StreamingNode other =
                StreamingNode.start(TestTables.node("other"), options, TestTables.store(temp.resolve("other"), 2, 0))) {
            StreamPlan plan = plan(Way.WHOLE);

            assertThat(other.execute(plan).get(SECONDS_TO_END, SECONDS).isComplete())
                    .isTrue();
        }
    }

    @Test
    void a_question_of_a_planner_is_answered_with_what_the_database_has_thrown() {
        for (String call : List.of("table", "pin", "pin.sstables")) {
            failing = Optional.of("source " + call);

            assertThatThrownBy(() -> receiver.spans(source, Map.of(TestTables.table(0), TokenRanges.FULL))
                            .get(SECONDS_TO_END, SECONDS))
                    .hasMessageContaining("boom in source " + call);
        }
    }

    @Test
    void a_damaged_sstable_that_the_database_finds_is_no_failure_of_its_disk() throws Exception {
        Path folder = TestTables.folder(temp.resolve("source"), TestTables.table(0));
        Descriptor first = new TableDirectory(
                        folder, "ks", "t0", TestTables.table(0).id())
                .descriptors()
                .get(0);
        Files.write(folder.resolve(first.fileName(Component.STATISTICS)), new byte[0]);

        assertThat(receiver.execute(plan(Way.WHOLE, 0))
                        .get(SECONDS_TO_END, SECONDS)
                        .tables())
                .singleElement()
                .satisfies(table -> assertThat(table.reason())
                        .startsWith("CORRUPT_AT_SOURCE: ")
                        .contains("Statistics.db"));
        assertThatThrownBy(() -> receiver.spans(source, Map.of(TestTables.table(0), TokenRanges.FULL))
                        .get(SECONDS_TO_END, SECONDS))
                .cause()
                .asInstanceOf(InstanceOfAssertFactories.type(StreamException.class))
                .returns(ErrorCode.CORRUPT_AT_SOURCE, StreamException::code);
    }

    @Test
    void a_node_whose_database_does_not_say_where_files_lie_says_so_and_starts_the_next_time() throws Exception {
        DirectoryStore store = TestTables.store(temp.resolve("other"), 2, 0);
        Node other = TestTables.node("other");
        failing = Optional.of("receiver stagingDirectory");

        assertThatThrownBy(() -> StreamingNode.start(
                        other, options(result -> {}), InterceptedStore.of(store, made -> called("receiver " + made))))
                .hasMessageContaining("boom in receiver stagingDirectory");

        failing = Optional.empty();
        StreamingNode.start(other, options(result -> {}), store).close();
    }

    @Test
    void a_node_whose_database_fails_when_its_folders_are_looked_at_starts_and_hands_errors_of_the_machine_on()
            throws Exception {
        DirectoryStore store = TestTables.store(temp.resolve("other"), 2, 0);
        failing = Optional.of("receiver knownTables");
        thrown = Kind.MEMORY;

        StreamingNode.start(
                        TestTables.node("other"),
                        options(result -> {}),
                        InterceptedStore.of(store, made -> called("receiver " + made)))
                .close();

        assertThat(handedOn).hasSize(1);
    }
}
