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
 * Hands audit events to the listener of the embedder; of those that somebody who has proved nothing can cause at will,
 * {@value #OF_AN_ADDRESS} of a kind about an address a minute, and {@value #IN_ALL} of all kinds about all such
 * addresses: the others are counted, and the count comes with the next one of that kind. Thread-safe.
 */
public final class Audit {
    /** Of a kind, about one address, in a minute. */
    public static final int OF_AN_ADDRESS = 40;
    /** Of all kinds, about all addresses, in a minute: about 100 KiB. */
    public static final int IN_ALL = 600;

    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);

    private final AuditListener listener;
    private final LongSupplier nanoTime;
    private final LineLimit limit = new LineLimit(OF_AN_ADDRESS, IN_ALL);

    /** @param nanoTime as {@link System#nanoTime} */
    public Audit(AuditListener listener, LongSupplier nanoTime) {
        this.listener = listener;
        this.nanoTime = nanoTime;
    }

    /** Hands one on that a peer with a certificate, this node, its database or an administrator has caused. */
    public void record(AuditEvent event) {
        try {
            listener.on(event);
        } catch (Throwable e) { // whatever it is: it changes nothing
            LOG.error("the listener for audit events failed at {}", AuditLog.line(event), e);
            VirtualMachineErrors.handOn(e);
        }
    }

    /** Hands one on that {@code peer} has caused. */
    public void record(Peer peer, AuditEvent event) {
        if (peer.isAuthenticated()) {
            record(event);
        } else {
            record(peer.address(), event.kind(), unreported -> event);
        }
    }

    /**
     * The same of somebody who has proved nothing.
     *
     * @param address without a port
     * @param event made with the number of those that were only counted since the last one
     */
    public void record(String address, String kind, IntFunction<AuditEvent> event) {
        LineLimit.LineDecision decision = limit.decide(address, kind, nanoTime.getAsLong());
        if (decision.isWritten()) {
            record(event.apply(decision.leftOut()));
        }
    }
}
