package io.sluice.streaming.access;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.store.Authorizer.Access;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.store.NodeIdentities;
import java.io.IOError;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One peer is answered whatever the authorizer has said to others. */
@Timeout(30)
class AccessControlTest {
    private static final Peer PEER = new Peer(new UUID(1, 1), "10.0.0.7", List.of());

    private final Queue<Throwable> handed = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(AccessControl.THREADS, work -> {
        Thread thread = new Thread(work, "authorizer");
        thread.setUncaughtExceptionHandler((where, error) -> handed.add(error));
        return thread;
    });
    /** Time limits that began and did not end, in order. */
    private final Queue<TimeLimit> limits = new ConcurrentLinkedQueue<>();

    private final AccessControl control = control(threads);

    private record TimeLimit(long nanos, Runnable end) {}

    private AccessControl control(Executor asking) {
        return new AccessControl(
                new AccessControl.Rules(
                        new UUID(2, 2), "test", NodeIdentities.byAlternativeName(), false, chain -> Optional.empty()),
                new Authorizer() {},
                new AccessControl.Notes(
                        new Holds(Holds.Rules.DEFAULTS, System::nanoTime),
                        new Audit(event -> {}, System::nanoTime),
                        new PeerLog(System::nanoTime)),
                new AccessControl.Questions(asking, this::later));
    }

    private Runnable later(long nanos, Runnable task) {
        TimeLimit limit = new TimeLimit(nanos, task);
        limits.add(limit);
        return () -> limits.remove(limit);
    }

    @AfterEach
    void end_the_threads() {
        threads.shutdownNow();
    }

    private Access ask() throws Exception {
        return control.ask(authorizer -> authorizer.mayConnect(PEER)).get(20, SECONDS);
    }

    @Test
    void an_error_of_any_kind_is_an_answer_and_the_next_one_is_asked_for() throws Exception {
        OutOfMemoryError fatal = new OutOfMemoryError("injected");
        for (Error error : List.of(fatal, new IOError(new IOException("injected")), new LinkageError("injected"))) {
            Access access = control.ask(authorizer -> {
                        throw error;
                    })
                    .get(20, SECONDS);

            assertThat(access.isGranted()).isFalse();
            assertThat(access.reason())
                    .isEqualTo("the authorizer failed: " + error.getClass().getSimpleName());
        }

        assertThat(ask().isGranted()).isTrue();
        threads.shutdown();
        assertThat(threads.awaitTermination(20, SECONDS)).isTrue();
        assertThat(handed).as("goes on to the embedder").containsExactly(fatal);
    }

    @Test
    void those_that_are_denied_keep_nobody_out() throws Exception {
        CyclicBarrier both = new CyclicBarrier(AccessControl.THREADS + 1);
        List<CompletableFuture<Void>> denied = List.of(denied(both), denied(both));

        await(both);
        await(both); // each answer has come to who has asked
        CompletableFuture<Access> third = control.ask(authorizer -> authorizer.mayConnect(PEER));
        await(both);

        assertThat(third.get(20, SECONDS).isGranted()).isTrue();
        for (CompletableFuture<Void> each : denied) {
            each.get(20, SECONDS);
        }
    }

    @Test
    void one_that_never_answers_denies_when_its_time_is_up_by_the_clock_of_the_loop() {
        Queue<Runnable> unanswered = new ConcurrentLinkedQueue<>();
        AccessControl silent = control(unanswered::add);

        CompletableFuture<Access> answer = silent.ask(authorizer -> authorizer.mayConnect(PEER));

        assertThat(limits).extracting(TimeLimit::nanos).containsExactly(SECONDS.toNanos(1));
        assertThat(answer).isNotDone();
        limits.remove().end().run();
        assertThat(answer.join().reason()).isEqualTo("the authorizer did not answer within 1000 ms");
    }

    @Test
    void an_answer_in_time_ends_its_time_limit() {
        Queue<Runnable> unanswered = new ConcurrentLinkedQueue<>();
        AccessControl slow = control(unanswered::add);
        CompletableFuture<Access> answer = slow.ask(authorizer -> authorizer.mayConnect(PEER));

        unanswered.remove().run();

        assertThat(answer.join().isGranted()).isTrue();
        assertThat(limits).isEmpty();
    }

    @Test
    void those_that_hang_keep_everybody_out_until_one_of_them_answers() {
        Queue<Runnable> unanswered = new ConcurrentLinkedQueue<>();
        AccessControl slow = control(unanswered::add);
        for (int i = 0; i < AccessControl.THREADS; i++) {
            CompletableFuture<Access> late = slow.ask(authorizer -> authorizer.mayConnect(PEER));
            limits.remove().end().run();
            assertThat(late.join().isGranted()).isFalse();
        }
        assertThat(slow.ask(authorizer -> authorizer.mayConnect(PEER)).join().reason())
                .isEqualTo("the authorizer is blocked");

        unanswered.remove().run();

        assertThat(slow.ask(authorizer -> authorizer.mayConnect(PEER))).isNotDone();
    }

    @Test
    void nobody_waits_for_an_answer_once_the_node_is_closed() {
        AccessControl silent = control(question -> {});
        CompletableFuture<Access> before = silent.ask(authorizer -> authorizer.mayConnect(PEER));

        silent.close();

        assertThat(before.join().reason()).isEqualTo("the node is closing");
        assertThat(silent.ask(authorizer -> authorizer.mayConnect(PEER)).join().reason())
                .isEqualTo("the node is closing");
    }

    private CompletableFuture<Void> denied(CyclicBarrier both) {
        return control.ask(authorizer -> {
                    await(both); // else the answer may be there before anybody listens
                    return Access.denied("not you");
                })
                .thenAccept(access -> {
                    await(both);
                    await(both);
                });
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(20, SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
