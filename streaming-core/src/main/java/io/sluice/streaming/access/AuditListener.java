package io.sluice.streaming.access;

import io.sluice.streaming.audit.AuditEvent;

/** Receives audit events, as {@link AuditLog} does. Thread-safe. */
@FunctionalInterface
public interface AuditListener {
    /** Ignores all events. */
    AuditListener NONE = event -> {};

    /**
     * Receives an event on the thread where it occurred, which may serve connections: must return quickly and never
     * wait for a peer. Exceptions are logged and have no other effect.
     */
    void on(AuditEvent event);
}
