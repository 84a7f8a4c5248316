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
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Who may do what: a certificate must speak for the node that shows it, and the database's {@link Authorizer} must say
 * yes, within a second, on a thread that it may hold. Thread-safe.
 */
public final class AccessControl {
    private static final Logger LOG = LoggerFactory.getLogger(AccessControl.class);
    /** Whom lines are about that are about no peer, but caused by one. */
    private static final String NOBODY = "authorizer";

    /** Of the executor that asks the authorizer. */
    public static final int THREADS = 2;

    private static final long ANSWER_MILLIS = 1_000;

    private final Rules rules;
    private final Authorizer authorizer;
    private final Holds holds;
    private final Audit audit;
    private final PeerLog log;
    private final Executor threads;
    /** Questions whose time is up and that have not been answered yet. */
    private final AtomicInteger overdue = new AtomicInteger();

    /**
     * How certificates are bound to nodes.
     *
     * @param self this node's id
     * @param mustAuthenticate whether a peer without a certificate is refused
     * @param revoked why certificates that were trusted when a connection was made are not any more; empty if they are
     */
    public record Rules(
            UUID self,
            String cluster,
            NodeIdentities identities,
            boolean mustAuthenticate,
            Function<List<X509Certificate>, Optional<String>> revoked) {}

    /**
     * Where it is noted what peers do.
     *
     * @param log for lines that a peer can cause at will
     */
    public record Notes(Holds holds, Audit audit, PeerLog log) {}

    /** @param threads ask the authorizer, {@link #THREADS} at once; reject what would wait for too long */
    public AccessControl(Rules rules, Authorizer authorizer, Notes notes, Executor threads) {
        this.rules = rules;
        this.authorizer = authorizer;
        this.holds = notes.holds();
        this.audit = notes.audit();
        this.log = notes.log();
        this.threads = threads;
    }

    /** Who is not let in for a while. */
    public Holds holds() {
        return holds;
    }

    /** The listener to what peers and administrators do. */
    public Audit audit() {
        return audit;
    }

    /** Whether peers prove which node they are. */
    public boolean mustAuthenticate() {
        return rules.mustAuthenticate();
    }

    /** A peer has violated the protocol, for which its connection or session ends; again and again, it waits. */
    public void violated(AuditEvent.Identity who, String reason) {
        holds.violated(Holds.Culprit.of(who), reason).ifPresent(hold -> {
            log.write(
                    LOG,
                    Level.WARN,
                    who.address(),
                    "{} is on hold for {} s, the {}. time, for violating the protocol again and again; the last time: {}"
                            + " ('./sluice clear-hold' ends it)",
                    hold.who(),
                    hold.left().toSeconds(),
                    hold.times(),
                    reason);
            audit.record(
                    who.address(),
                    "put-on-hold",
                    unreported -> new AuditEvent.PutOnHold(who, hold.left().toSeconds(), reason));
        });
    }

    /** Why the certificate does not make this peer the node that it says it is, or was meant; empty if it does. */
    public Optional<String> impostor(Peer peer) {
        if (peer.nodeId().equals(rules.self())) {
            return Optional.of("it says that it is this node itself, " + peer.nodeId());
        }
        if (!peer.isAuthenticated()) {
            return rules.mustAuthenticate() ? Optional.of("it has shown no certificate") : Optional.empty();
        }
        try {
            return impostor(peer, peer.certificates().get(0));
        } catch (RuntimeException e) { // of the embedder's identities, or names that are none
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
     * Lets a peer pass that is the node that it says it is.
     *
     * @throws StreamException of code {@link ErrorCode#UNTRUSTED} as {@link #impostor} says
     */
    public void requireIdentity(Peer peer) {
        impostor(peer).ifPresent(why -> {
            throw new StreamException(ErrorCode.UNTRUSTED, peer + ": " + why);
        });
    }

    /**
     * Whether a peer whose session runs may stay connected: none of its certificates was revoked meanwhile, and the
     * authorizer says yes. The answer comes as that of {@link #ask}.
     */
    CompletableFuture<Access> mayStay(Peer peer) {
        return rules.revoked()
                .apply(peer.certificates())
                .map(why -> CompletableFuture.completedFuture(Access.denied(why)))
                .orElseGet(() -> ask(authorizer -> authorizer.mayConnect(peer)));
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
            threads.execute(LogKeys.current().around(() -> {
                VirtualMachineErrors fatal = new VirtualMachineErrors();
                Access access = answered(question, fatal);
                boolean isInTime = state.compareAndSet(0, 1);
                answer.complete(access);
                if (!isInTime) {
                    overdue.decrementAndGet();
                }
                fatal.handOn();
            }));
        } catch (RejectedExecutionException e) {
            log.write(LOG, Level.WARN, NOBODY, "the authorizer is slower than the connections that wait for it");
            return CompletableFuture.completedFuture(Access.denied("too many requests wait for the authorizer"));
        }
        return answer.completeOnTimeout(
                        Access.denied("the authorizer has not answered within " + ANSWER_MILLIS + " ms"),
                        ANSWER_MILLIS,
                        TimeUnit.MILLISECONDS)
                .whenComplete((access, never) -> {
                    if (state.compareAndSet(0, 2)) {
                        overdue.incrementAndGet();
                    }
                });
    }

    private Access answered(Function<Authorizer, Access> question, VirtualMachineErrors fatal) {
        try {
            Access access = question.apply(authorizer);
            return access == null ? Access.denied("the authorizer answered null") : access;
        } catch (Throwable e) { // whatever it is: a peer waits for an answer
            fatal.note(e);
            log.write(LOG, Level.ERROR, NOBODY, "the authorizer failed: denied", e);
            return Access.denied("the authorizer failed: " + e.getClass().getSimpleName());
        }
    }

    /**
     * Waits for the answer, at most a second.
     *
     * @throws StreamException of code {@link ErrorCode#DENIED} if it is no
     */
    public void require(Peer peer, AuditEvent.TableAccess wish, Function<Authorizer, Access> question) {
        Access access = ask(question).join();
        AuditEvent.Identity who = AuditEvent.Identity.of(peer);
        if (!access.isGranted()) {
            audit.record(peer, new AuditEvent.Denied(who, Optional.of(wish), access.reason()));
            throw denied(peer, wish.action() + " " + wish.table(), access);
        }
        audit.record(peer, new AuditEvent.Authorized(who, wish));
    }

    /** The answer to a peer that may not do {@code what}. */
    public static StreamException denied(Peer peer, String what, Access access) {
        return new StreamException(ErrorCode.DENIED, peer + " may not " + what + ": " + access.reason());
    }
}
