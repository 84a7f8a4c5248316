package io.sluice.streaming.access;

import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LineLimit;
import io.sluice.streaming.store.Authorizer.Peer;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands audit events to the embedder's listener. Events caused by unauthenticated peers are limited per minute to
 * {@value #OF_AN_ADDRESS} of each kind for an address, and to {@value #IN_ALL} in total; further ones are counted, and
 * the next event of that kind reports the count. Thread-safe.
 */
public final class Audit {
    /** Per kind, address and minute. */
    static final int OF_AN_ADDRESS = 40;
    /** Per minute in total: about 100 KiB. */
    static final int IN_ALL = 600;

    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);

    private final AuditListener listener;
    private final LongSupplier nanoTime;
    private final LineLimit limit = new LineLimit(OF_AN_ADDRESS, IN_ALL);

    /** @param nanoTime the clock, such as {@link System#nanoTime} */
    public Audit(AuditListener listener, LongSupplier nanoTime) {
        this.listener = listener;
        this.nanoTime = nanoTime;
    }

    /** Records an event caused by an authenticated peer, this node, its database or an administrator. */
    public void record(AuditEvent event) {
        try {
            listener.on(event);
        } catch (Throwable e) { // any exception: it has no effect on streaming
            LOG.error("the audit listener failed for {}", AuditLog.line(event), e);
            VirtualMachineErrors.handOn(e);
        }
    }

    /** Records an event caused by {@code peer}. */
    public void record(Peer peer, AuditEvent event) {
        if (peer.isAuthenticated()) {
            record(event);
        } else {
            record(peer.address(), event.kind(), unreported -> event);
        }
    }

    /**
     * Records an event caused by an unauthenticated peer.
     *
     * @param address without a port
     * @param event creates the event from the number of suppressed ones since the last
     */
    public void record(String address, String kind, IntFunction<AuditEvent> event) {
        LineLimit.LineDecision decision = limit.decide(address, kind, nanoTime.getAsLong());
        if (decision.isWritten()) {
            record(event.apply(decision.leftOut()));
        }
    }
}
