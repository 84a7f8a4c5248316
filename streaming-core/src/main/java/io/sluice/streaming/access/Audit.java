package io.sluice.streaming.access;

import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.audit.AuditEvent.Identity;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LineLimit;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands audit events to the embedder's listener. Events caused by unauthenticated peers are limited per minute to
 * {@value #OF_AN_ADDRESS} of each kind for an address, and to {@value #IN_ALL} in total; so are refused connections of
 * authenticated peers for a certificate, apart from those. Suppressed events are counted: the next event of that kind
 * and peer reports them, or an {@link AuditEvent.Suppressed} before it; one beyond the total is reported before the
 * next limited event. Thread-safe.
 */
public final class Audit {
    /** Per kind, address or certificate, and minute. */
    static final int OF_AN_ADDRESS = 40;
    /** Per minute in total: about 100 KiB. */
    static final int IN_ALL = 600;

    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);

    private final AuditListener listener;
    private final LongSupplier nanoTime;
    private final LineLimit unauthenticated = new LineLimit(OF_AN_ADDRESS, IN_ALL);
    private final LineLimit authenticated = new LineLimit(OF_AN_ADDRESS, IN_ALL);

    /** @param nanoTime the clock, such as {@link System#nanoTime} */
    public Audit(AuditListener listener, LongSupplier nanoTime) {
        this.listener = listener;
        this.nanoTime = nanoTime;
    }

    /** Records an event without a limit: of an authenticated peer, this node, its database or an administrator. */
    public void record(AuditEvent event) {
        try {
            listener.on(event);
        } catch (Throwable e) { // any exception: it has no effect on streaming
            LOG.error("the audit listener failed for {}", AuditLog.line(event), e);
            VirtualMachineErrors.handOn(e);
        }
    }

    /** Records an event caused by a peer; limited if it has no certificate. */
    public void record(Identity who, AuditEvent event) {
        if (who.certificate().isPresent()) {
            record(event);
            return;
        }
        LineLimit.LineDecision decision = decide(who, event.kind());
        if (decision.leftOut() > 0) {
            record(new AuditEvent.Suppressed(
                    Optional.of(who.address()), Optional.of(event.kind()), decision.leftOut()));
        }
        if (decision.isWritten()) {
            record(event);
        }
    }

    /**
     * Records an event caused by a peer; limited also if it has a certificate.
     *
     * @param kind as {@link AuditEvent#kind}
     * @param event creates the event from the number of suppressed ones since the last
     */
    public void record(Identity who, String kind, IntFunction<AuditEvent> event) {
        LineLimit.LineDecision decision = decide(who, kind);
        if (decision.isWritten()) {
            record(event.apply(decision.leftOut()));
        }
    }

    private LineLimit.LineDecision decide(Identity who, String kind) {
        long now = nanoTime.getAsLong();
        LineLimit.LineDecision decision = who.certificate()
                .map(certificate -> authenticated.decide(certificate, kind, now))
                .orElseGet(() -> unauthenticated.decide(who.address(), kind, now));
        if (decision.leftOutInAll() > 0) {
            record(new AuditEvent.Suppressed(Optional.empty(), Optional.empty(), decision.leftOutInAll()));
        }
        return decision;
    }
}
