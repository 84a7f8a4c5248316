package io.sluice.netty.security;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.Access;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.store.NodeIdentities;
import io.sluice.streaming.store.Peer;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who may do what: a certificate must speak for the node that shows it, and the database's {@link Authorizer} must say
 * yes, within a second, on a thread of its own. Thread-safe.
 */
public final class AccessControl implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AccessControl.class);
    private static final int THREADS = 2;
    private static final int MOST_WAITING = 1_000;
    private static final long ANSWER_MILLIS = 1_000;

    private final Rules rules;
    private final Authorizer authorizer;
    private final ThreadPoolExecutor threads;
    /** Questions whose time is up and that have not been answered yet. */
    private final AtomicInteger overdue = new AtomicInteger();

    /**
     * How certificates are bound to nodes.
     *
     * @param self this node's id
     * @param mustAuthenticate whether a peer without a certificate is refused
     */
    public record Rules(UUID self, String cluster, NodeIdentities identities, boolean mustAuthenticate) {}

    /** Starts threads. */
    public AccessControl(String name, Rules rules, Authorizer authorizer) {
        this.rules = rules;
        this.authorizer = authorizer;
        this.threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(MOST_WAITING),
                new DefaultThreadFactory(name + "-access"));
        this.threads.prestartAllCoreThreads();
    }

    /** Why the certificate does not make this peer the node that it says it is, or was meant; empty if it does. */
    public Optional<String> impostor(Peer peer) {
        if (peer.nodeId().equals(rules.self())) {
            return Optional.of("it says that it is this node itself, " + peer.nodeId());
        }
        if (!peer.isAuthenticated()) {
            return rules.mustAuthenticate() ? Optional.of("it has shown no certificate") : Optional.empty();
        }
        X509Certificate certificate = peer.certificates().get(0);
        if (!rules.identities().of(certificate).contains(peer.nodeId())) {
            return Optional.of("its certificate " + certificate.getSubjectX500Principal() + ", fingerprint "
                    + Peer.fingerprint(certificate) + ", does not speak for node " + peer.nodeId()
                    + " (expected: the alternative name " + NodeIdentities.NODE_URN + peer.nodeId()
                    + ", or the fingerprint in tls_fingerprints)");
        }
        List<String> clusters = NodeIdentities.clusters(certificate);
        return clusters.isEmpty() || clusters.contains(rules.cluster())
                ? Optional.empty()
                : Optional.of("its certificate is for cluster " + clusters + " (expected: " + rules.cluster() + ")");
    }

    /**
     * Lets a peer pass that is the node that it says it is.
     *
     * @throws StreamException of code {@link ErrorCode#UNTRUSTED} as {@link #impostor} says
     */
    public void requireIdentity(Peer peer) {
        impostor(peer).ifPresent(why -> {
            throw new StreamException(ErrorCode.UNTRUSTED, peer + ": " + why);
        });
    }

    /** The answer to {@code question}, which comes within a second, on any thread; never fails. */
    public CompletableFuture<Access> ask(Function<Authorizer, Access> question) {
        if (authorizer == Authorizer.EVERYTHING) {
            return CompletableFuture.completedFuture(Access.granted());
        }
        if (overdue.get() >= THREADS) {
            return CompletableFuture.completedFuture(Access.denied("the authorizer hangs"));
        }
        CompletableFuture<Access> answer = new CompletableFuture<>();
        AtomicInteger state = new AtomicInteger(); // 1: answered, 2: its time is up
        try {
            threads.execute(() -> {
                answer.complete(answered(question));
                if (!state.compareAndSet(0, 1)) {
                    overdue.decrementAndGet();
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.warn(
                    "the authorizer is asked faster than it answers: {} questions wait",
                    threads.getQueue().size());
            return CompletableFuture.completedFuture(Access.denied("too many questions wait for the authorizer"));
        }
        return answer.completeOnTimeout(
                        Access.denied("the authorizer has not answered within " + ANSWER_MILLIS + " ms"),
                        ANSWER_MILLIS,
                        TimeUnit.MILLISECONDS)
                .whenComplete((access, never) -> {
                    if (!access.isGranted() && state.compareAndSet(0, 2)) {
                        overdue.incrementAndGet();
                    }
                });
    }

    private Access answered(Function<Authorizer, Access> question) {
        try {
            Access access = question.apply(authorizer);
            return access == null ? Access.denied("the authorizer answered null") : access;
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            LOG.error("the authorizer failed: denied", e);
            return Access.denied("the authorizer failed: " + e.getClass().getSimpleName());
        }
    }

    /**
     * Waits for the answer, at most a second.
     *
     * @throws StreamException of code {@link ErrorCode#DENIED} if it is no
     */
    public void require(Peer peer, String what, Function<Authorizer, Access> question) {
        Access access = ask(question).join();
        if (!access.isGranted()) {
            throw denied(peer, what, access);
        }
    }

    /** What a peer hears that may not do {@code what}. */
    public static StreamException denied(Peer peer, String what, Access access) {
        return new StreamException(ErrorCode.DENIED, peer + " may not " + what + ": " + access.reason());
    }

    /** Ends the threads; one that an authorizer holds is left behind. */
    @Override
    public void close() {
        threads.shutdownNow();
        try {
            threads.awaitTermination(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
