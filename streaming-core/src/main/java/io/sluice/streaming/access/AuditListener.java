package io.sluice.streaming.access;

import io.sluice.streaming.audit.AuditEvent;

/** Takes audit events, as {@link AuditLog} does. Thread-safe. */
@FunctionalInterface
public interface AuditListener {
    /** Nobody reads it. */
    AuditListener NONE = event -> {};

    /**
     * Something happened. Called on the thread where it did, which may be one that serves connections: quick, never
     * waiting for a peer. What it throws is logged, and changes nothing.
     */
    void on(AuditEvent event);
}
