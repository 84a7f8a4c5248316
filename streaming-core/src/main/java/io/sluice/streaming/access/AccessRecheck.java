package io.sluice.streaming.access;

import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.store.Authorizer.Access;
import io.sluice.streaming.store.Authorizer.Peer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Checks whether the peer of a running session may still be connected: when it sends a message, at most once a second.
 * Not thread-safe: confined to the thread of the session.
 */
public final class AccessRecheck {
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Peer peer;
    private final AccessControl access;
    private final Consumer<String> lost;
    /** The log keys of the creator. */
    private final LogKeys keys = LogKeys.current();

    private long lastCheckNanos;

    /**
     * Begins for a peer that may be connected now.
     *
     * @param lost called with the reason when the peer may no longer be connected; on any thread, possibly more than
     *     once
     */
    public AccessRecheck(Peer peer, AccessControl access, Consumer<String> lost, long nowNanos) {
        this.peer = peer;
        this.access = access;
        this.lost = lost;
        this.lastCheckNanos = nowNanos;
    }

    /** The peer has sent a message. */
    @SuppressWarnings("FutureReturnValueIgnored") // the answer never fails
    public void messageReceived(long nowNanos) {
        if (nowNanos - lastCheckNanos < PAUSE_NANOS) {
            return;
        }
        lastCheckNanos = nowNanos;
        keys.run(() -> access.mayStay(peer).thenAccept(answer -> keys.run(() -> judge(answer))));
    }

    private void judge(Access answer) {
        if (!answer.isGranted()) {
            AuditEvent.Identity who = AuditEvent.Identity.of(peer);
            access.audit().record(who, new AuditEvent.Denied(who, Optional.empty(), answer.reason()));
            lost.accept(answer.reason());
        }
    }
}
