package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.netty.StreamingNode.ThreadKind;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
@ExtendWith(LeakCheck.class)
class ThreadsTest {
    private static final Path GUIDE = Path.of("..", "docs", "operations.md");

    private static final StreamListener NOBODY = new StreamListener() {};

    @TempDir
    Path temp;

    /** Threads of an embedder's, by kind. */
    private static final class OfEmbedder implements Function<ThreadKind, ThreadFactory> {
        final Map<ThreadKind, List<Thread>> made = new ConcurrentHashMap<>();

        @Override
        public ThreadFactory apply(ThreadKind kind) {
            return task -> {
                Thread thread = new Thread(task, "embedder-" + kind);
                made.computeIfAbsent(kind, any -> new CopyOnWriteArrayList<>()).add(thread);
                return thread;
            };
        }

        List<Thread> alive() {
            return made.values().stream()
                    .flatMap(Collection::stream)
                    .filter(Thread::isAlive)
                    .toList();
        }
    }

    private StreamingNode start(Node self, StreamOptions options) throws IOException {
        return StreamingNode.start(self, options, TestTables.store(temp.resolve(self.name()), 1, 0));
    }

    private static Set<Thread> threads() {
        return new HashSet<>(Thread.getAllStackTraces().keySet());
    }

    @Test
    void an_idle_node_has_few_daemons_named_after_it_and_what_they_do_and_none_when_it_is_closed() throws Exception {
        Set<Thread> before = threads();
        Set<Thread> during;
        try (StreamingNode node =
                start(TestTables.node("idle"), StreamOptions.builder().build())) {
            during = threads();
            during.removeAll(before);
            during.removeIf(thread -> !thread.getName().startsWith("sluice-"));
            assertThat(node.counters().bytesSent()).isZero();
        }

        assertThat(during).hasSize(13).allMatch(Thread::isDaemon);
        for (ThreadKind kind : ThreadKind.values()) {
            assertThat(during)
                    .filteredOn(thread -> thread.getName().startsWith("sluice-idle-" + kind.label() + "-"))
                    .as("%s", kind)
                    .hasSize(kind.whileIdle());
        }
        await().until(() -> during.stream().noneMatch(Thread::isAlive));
    }

    @Test
    void every_thread_of_a_transfer_is_one_that_the_embedder_made_and_ends_with_its_node() throws Exception {
        Set<Thread> before = threads();
        OfEmbedder threads = new OfEmbedder();
        StreamOptions options = StreamOptions.builder()
                .threads(threads)
                .listener(NOBODY, Runnable::run)
                .build();
        Node source = TestTables.node("source");
        Set<Thread> during;
        try (StreamingNode sender =
                        StreamingNode.start(source, options, TestTables.store(temp.resolve("data"), 1, 64 << 10));
                StreamingNode receiver = start(TestTables.node("target"), options)) {
            assertThat(receiver.execute(TestTables.plan(source, 0))
                            .get(30, SECONDS)
                            .isComplete())
                    .isTrue();
            during = threads();
            assertThat(sender.counters().bytesSent()).isPositive();
        }

        assertThat(threads.made.keySet()).isEqualTo(EnumSet.allOf(ThreadKind.class));
        during.removeAll(before);
        threads.made.values().forEach(during::removeAll);
        assertThat(during).extracting(Thread::getName).noneMatch(name -> name.contains("sluice"));
        await().until(() -> threads.alive().isEmpty());
    }

    /** A stack for which a process has no addresses, so that its thread cannot be started. */
    private static final long NO_STACK_BYTES = 1L << 50;

    /** What a factory may do that makes no thread. */
    private enum Refusal {
        NULL,
        THROWS,
        NO_NATIVE_THREAD;

        @Nullable
        Thread thread(Runnable task) {
            return switch (this) {
                case NULL -> null;
                case THROWS -> throw new IllegalStateException("no more threads, says the embedder");
                // Pools of Java 19 and newer do not start a thread by its method, which could be overridden.
                case NO_NATIVE_THREAD -> new Thread(null, task, "stack", NO_STACK_BYTES);
            };
        }
    }

    /** Each kind once, and each way to refuse for loops and pools. */
    private static Stream<Arguments> refusals() {
        List<ThreadKind> kinds =
                EnumSet.complementOf(EnumSet.of(ThreadKind.RECEIVE)).stream().toList();
        List<Refusal> ways = List.of(Refusal.values());
        return IntStream.range(0, kinds.size())
                .mapToObj(number -> Arguments.of(kinds.get(number), ways.get(number % ways.size())));
    }

    /** Makes all threads of an idle node but one: those before it are to end. */
    @SuppressWarnings("NullAway") // as a factory of an embedder may
    private static ThreadFactory allButTheLast(ThreadFactory factory, ThreadKind kind, Refusal refusal) {
        AtomicInteger left = new AtomicInteger(kind.whileIdle() - 1);
        return task -> left.getAndDecrement() > 0 ? factory.newThread(task) : refusal.thread(task);
    }

    private static StreamOptions refusing(OfEmbedder threads, ThreadKind kind, Refusal refusal) {
        return StreamOptions.builder()
                .listener(NOBODY, Runnable::run)
                .threads(any -> any == kind ? allButTheLast(threads.apply(any), kind, refusal) : threads.apply(any))
                .build();
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void a_node_whose_threads_cannot_be_made_does_not_start_and_leaves_nothing(ThreadKind kind, Refusal refusal)
            throws Exception {
        Node self = TestTables.node("refused");
        OfEmbedder threads = new OfEmbedder();
        int descriptors = LeakCheck.descriptors().size();

        assertThatThrownBy(() -> start(self, refusing(threads, kind, refusal)))
                .isInstanceOf(
                        refusal == Refusal.NO_NATIVE_THREAD ? OutOfMemoryError.class : IllegalStateException.class)
                .hasMessageContaining("thread");

        await().until(() -> threads.alive().isEmpty());
        await().until(() -> LeakCheck.descriptors().size() <= descriptors);
        try (StreamingNode again = start(self, StreamOptions.builder().build())) { // same staging, same address
            assertThat(again.sending().get(10, SECONDS)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_without_a_thread_to_receive_on_fails_and_the_node_goes_on(Refusal refusal) throws Exception {
        Node source = TestTables.node("source");
        OfEmbedder threads = new OfEmbedder();
        StreamOptions.Builder once = StreamOptions.builder()
                .retries(CutAnywhereTest.ONCE)
                .threads(any -> any == ThreadKind.RECEIVE ? refusal::thread : threads.apply(any));
        try (StreamingNode sender = StreamingNode.start(
                        source, StreamOptions.builder().build(), TestTables.store(temp.resolve("data"), 1, 64 << 10));
                StreamingNode receiver = start(TestTables.node("target"), once.build())) {
            PlanResult result = receiver.execute(TestTables.plan(source, 0)).get(30, SECONDS);

            assertThat(result.tables().get(0).reason()).contains("LIMIT").contains("cannot create a thread");
            await().until(() -> sender.sending().get(10, SECONDS).isEmpty());
            assertThat(receiver.sending().get(10, SECONDS)).isEmpty();
        }
        await().until(() -> threads.alive().isEmpty());
    }

    /** The table of the guide: a row for each kind, with its name, how many while idle and how many at most. */
    @Test
    void the_guide_lists_every_kind_of_thread_and_no_other() throws IOException {
        String guide = Files.readString(GUIDE);
        String table = guide.substring(guide.indexOf("| thread |"));
        List<String> rows =
                table.lines().skip(2).takeWhile(line -> line.startsWith("| ")).toList();

        assertThat(rows.stream().map(row -> row.replaceAll("^(\\| [^|]* \\| [^|]* \\| [^|]* \\|).*", "$1")))
                .isEqualTo(Arrays.stream(ThreadKind.values())
                        .map(kind -> "| `" + kind.label() + "` | " + kind.whileIdle() + " | " + most(kind) + " |")
                        .toList());
        assertThat(guide)
                .contains("An idle node has "
                        + Arrays.stream(ThreadKind.values())
                                .mapToInt(ThreadKind::whileIdle)
                                .sum() + " threads");
    }

    private static String most(ThreadKind kind) {
        return kind.most() == Integer.MAX_VALUE ? "its connections" : String.valueOf(kind.most());
    }
}
