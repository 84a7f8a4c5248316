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
    private final AccessControl control = new AccessControl(
            new AccessControl.Rules(
                    new UUID(2, 2), "test", NodeIdentities.byAlternativeName(), false, chain -> Optional.empty()),
            new Authorizer() {},
            new AccessControl.Notes(
                    new Holds(Holds.Rules.DEFAULTS, System::nanoTime),
                    new Audit(event -> {}, System::nanoTime),
                    new PeerLog(System::nanoTime)),
            threads);

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
