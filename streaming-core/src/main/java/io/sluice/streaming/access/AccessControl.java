package io.sluice.streaming.access;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.store.Authorizer.Access;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.store.NodeIdentities;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Access control: a certificate must belong to the node that presents it, and the database's {@link Authorizer} must
 * agree within one second. The authorizer runs on threads that it may block. Closed by its node, after the loop that
 * watches the time limit. Thread-safe.
 */
public final class AccessControl implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AccessControl.class);
    /** The rate-limit key of lines that are caused by peers in general. */
    private static final String NOBODY = "authorizer";

    /** Threads of the executor that asks the authorizer. */
    static final int THREADS = 2;

    private static final long ANSWER_MILLIS = 1_000;

    private final Rules rules;
    private final Authorizer authorizer;
    private final Holds holds;
    private final Audit audit;
    private final PeerLog log;
    private final Questions questions;
    /** Questions without an answer. */
    private final Set<Question> open = ConcurrentHashMap.newKeySet();
    /** Questions that timed out and are still unanswered. */
    private final AtomicInteger overdue = new AtomicInteger();

    private volatile boolean isClosed;

    /**
     * The rules that bind certificates to nodes.
     *
     * @param self this node's id
     * @param mustAuthenticate whether a peer without a certificate is refused
     * @param revoked why certificates that were trusted when a connection was opened no longer are; empty if they still
     *     are
     */
    public record Rules(
            UUID self,
            String cluster,
            NodeIdentities identities,
            boolean mustAuthenticate,
            Function<List<X509Certificate>, Optional<String>> revoked) {}

    /**
     * Where actions of peers are recorded.
     *
     * @param log for lines that a peer can cause without limit
     */
    public record Notes(Holds holds, Audit audit, PeerLog log) {}

    /**
     * How the authorizer is asked.
     *
     * @param threads runs questions to the authorizer, {@link #THREADS} at once; rejects tasks when its queue is full
     * @param delay measures the time limit of an answer
     */
    public record Questions(Executor threads, Delay delay) {}

    /** Runs a task later: the loop of a node. */
    public interface Delay {
        /**
         * Runs {@code task} once, after at least {@code nanos}.
         *
         * @return cancels the task unless it is already running
         * @throws RejectedExecutionException if the node is closing
         */
        Runnable after(long nanos, Runnable task);
    }

    /** @param questions how {@code authorizer} is asked */
    public AccessControl(Rules rules, Authorizer authorizer, Notes notes, Questions questions) {
        this.rules = rules;
        this.authorizer = authorizer;
        this.holds = notes.holds();
        this.audit = notes.audit();
        this.log = notes.log();
        this.questions = questions;
    }

    /** The peers on hold. */
    public Holds holds() {
        return holds;
    }

    /** The audit events of peers and administrators. */
    public Audit audit() {
        return audit;
    }

    /** Whether peers must prove their node id by a certificate. */
    public boolean mustAuthenticate() {
        return rules.mustAuthenticate();
    }

    /**
     * Records a protocol violation, which has ended a connection or session; after repeated ones the peer is put on
     * hold.
     */
    public void violated(AuditEvent.Identity who, String reason) {
        holds.violated(Holds.Culprit.of(who), reason).ifPresent(hold -> {
            log.write(
                    LOG,
                    Level.WARN,
                    who.address(),
                    "{} is on hold for {} s (hold {}) after repeated protocol violations, the last one: {}"
                            + " (StreamingNode.peerAccess().clearHold ends it before, at a node of ./sluice"
                            + " 'clear-hold'; a restart, too)",
                    hold.who(),
                    hold.left().toSeconds(),
                    hold.times(),
                    reason);
            audit.record(who, new AuditEvent.PutOnHold(who, hold.left().toSeconds(), reason));
        });
    }

    /** Why the peer is not accepted as the node that it claims to be; empty if it is. */
    Optional<String> impostor(Peer peer) {
        if (peer.nodeId().equals(rules.self())) {
            return Optional.of("it claims the id of this node, " + peer.nodeId());
        }
        if (!peer.isAuthenticated()) {
            return rules.mustAuthenticate() ? Optional.of("it presented no certificate") : Optional.empty();
        }
        try {
            return impostor(peer, peer.certificates().get(0));
        } catch (RuntimeException e) { // thrown by the embedder's identities, or caused by malformed names
            return Optional.of("the names in its certificate cannot be read: " + e.getMessage());
        }
    }

    private Optional<String> impostor(Peer peer, X509Certificate certificate) {
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
     * Checks that the peer is the node that it claims to be.
     *
     * @throws StreamException of code {@link ErrorCode#UNTRUSTED} for the reason that {@link #impostor} returns
     */
    public void requireIdentity(Peer peer) {
        impostor(peer).ifPresent(why -> {
            throw new StreamException(ErrorCode.UNTRUSTED, peer + ": " + why);
        });
    }

    /**
     * Whether a peer with a running session may stay connected: none of its certificates was revoked meanwhile, and the
     * authorizer still agrees. Completes as {@link #ask} does.
     */
    CompletableFuture<Access> mayStay(Peer peer) {
        return rules.revoked()
                .apply(peer.certificates())
                .map(why -> CompletableFuture.completedFuture(Access.denied(why)))
                .orElseGet(() -> ask(authorizer -> authorizer.mayConnect(peer)));
    }

    /** The answer to {@code question}: completes within a second of the node's loop, on any thread, and never fails. */
    public CompletableFuture<Access> ask(Function<Authorizer, Access> question) {
        if (authorizer == Authorizer.EVERYTHING) {
            return CompletableFuture.completedFuture(Access.granted());
        }
        if (overdue.get() >= THREADS) {
            return CompletableFuture.completedFuture(Access.denied("the authorizer is blocked"));
        }
        Question asked = new Question();
        try {
            questions.threads().execute(LogKeys.current().around(() -> {
                VirtualMachineErrors fatal = new VirtualMachineErrors();
                asked.end(answered(question, fatal));
                fatal.handOn();
            }));
        } catch (RejectedExecutionException e) {
            log.write(
                    LOG,
                    Level.WARN,
                    NOBODY,
                    "the authorizer is too slow: connections are denied because its queue is full");
            return CompletableFuture.completedFuture(Access.denied("too many requests wait for the authorizer"));
        }
        asked.limit();
        return asked.answer;
    }

    /** A question to the authorizer; its answer comes once, from the authorizer or at its time limit. */
    private final class Question {
        private final CompletableFuture<Access> answer = new CompletableFuture<>();
        private final AtomicBoolean isDecided = new AtomicBoolean();

        /** The authorizer has answered. */
        void end(Access access) {
            if (isDecided.compareAndSet(false, true)) {
                answer.complete(access);
            } else {
                overdue.decrementAndGet();
            }
        }

        private void timeOut() {
            if (isDecided.compareAndSet(false, true)) {
                overdue.incrementAndGet();
                answer.complete(Access.denied("the authorizer did not answer within " + ANSWER_MILLIS + " ms"));
            }
        }

        /** Denies unless the answer comes in time. */
        @SuppressWarnings("FutureReturnValueIgnored") // cancelling a timer does not fail
        void limit() {
            if (answer.isDone()) {
                return;
            }
            open.add(this);
            answer.whenComplete((access, never) -> open.remove(this));
            try {
                Runnable cancel = questions.delay().after(TimeUnit.MILLISECONDS.toNanos(ANSWER_MILLIS), this::timeOut);
                answer.whenComplete((access, never) -> cancel.run());
            } catch (RejectedExecutionException e) {
                deny();
            }
            if (isClosed) {
                deny();
            }
        }

        /** The node is closing: nothing watches the time limit. */
        void deny() {
            answer.complete(Access.denied("the node is closing"));
        }
    }

    /** Denies what nobody will time any more: the loop of the node has ended. Idempotent. */
    @Override
    public void close() {
        isClosed = true;
        open.forEach(Question::deny);
    }

    private Access answered(Function<Authorizer, Access> question, VirtualMachineErrors fatal) {
        try {
            Access access = question.apply(authorizer);
            return access == null ? Access.denied("the authorizer answered null") : access;
        } catch (Throwable e) { // any exception: a peer waits for an answer
            fatal.note(e);
            log.write(LOG, Level.ERROR, NOBODY, "the authorizer failed, access is denied", e);
            return Access.denied("the authorizer failed: " + e.getClass().getSimpleName());
        }
    }

    /**
     * Waits for the answer, at most a second.
     *
     * @throws StreamException of code {@link ErrorCode#DENIED} if access is denied
     */
    public void require(Peer peer, AuditEvent.TableAccess wish, Function<Authorizer, Access> question) {
        Access access = ask(question).join();
        AuditEvent.Identity who = AuditEvent.Identity.of(peer);
        if (!access.isGranted()) {
            audit.record(who, new AuditEvent.Denied(who, Optional.of(wish), access.reason()));
            throw denied(peer, wish.action() + " " + wish.table(), access);
        }
        audit.record(who, new AuditEvent.Authorized(who, wish));
    }

    /** The failure for a peer that may not do {@code what}. */
    public static StreamException denied(Peer peer, String what, Access access) {
        return new StreamException(ErrorCode.DENIED, peer + " may not " + what + ": " + access.reason());
    }
}
