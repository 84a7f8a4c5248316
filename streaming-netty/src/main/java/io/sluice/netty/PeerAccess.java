package io.sluice.netty;

import io.sluice.netty.security.Tls;
import io.sluice.streaming.access.AccessControl;
import io.sluice.streaming.access.Audit;
import io.sluice.streaming.access.Holds;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.Authorizer.Access;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who is let into a node, who is on hold, and what its administrators do. Thread-safe. */
public final class PeerAccess {
    private static final Logger LOG = LoggerFactory.getLogger(PeerAccess.class);

    private final AccessControl access;

    PeerAccess(AccessControl access) {
        this.access = access;
    }

    /**
     * What decides who may do what on {@code node}, and remembers who has done wrong.
     *
     * @param security as the options say
     * @param threads ask the authorizer
     */
    static AccessControl open(Node node, StreamOptions options, Optional<Tls> security, PeerLog log, Executor threads) {
        return new AccessControl(
                new AccessControl.Rules(
                        node.id(),
                        options.cluster().name(),
                        options.identities(),
                        security.isPresent(),
                        chain -> security.flatMap(tls -> tls.revoked(chain))),
                options.authorizer(),
                new AccessControl.Notes(
                        new Holds(options.holds(), System::nanoTime),
                        new Audit(options.audit(), System::nanoTime),
                        log),
                threads);
    }

    /**
     * Nobody speaks plain text to other machines by not having thought of it.
     *
     * @throws IOException if {@code node} would, and it is not written that it may
     */
    static void requirePrivacy(Node node, StreamOptions options) throws IOException {
        String host = node.address().host();
        if (options.tls().isPresent() || InetAddress.getByName(host).isLoopbackAddress()) {
            return;
        }
        if (!options.allowPlaintext()) {
            throw new IOException(
                    "listen_address " + host + ": other machines reach it, and connections would be in plain"
                            + " text; set tls_certificate, tls_key and tls_trust ('./sluice certs' makes some to try), or listen on"
                            + " 127.0.0.1, or write allow_plaintext: true if the network is yours alone");
        }
        LOG.warn(
                "node {} speaks plain text on {}, as allow_plaintext says: whoever reaches it may fetch any table",
                node,
                node.address());
    }

    /**
     * One that is on.
     *
     * @param who {@code certificate} and a fingerprint, or {@code address} and an IP address or a network
     * @param times how often in a row
     * @param left how long still
     * @param reason the latest violation
     */
    public record Hold(String who, int times, Duration left, String reason) {}

    /** Who is not let in for a while, having violated the protocol again and again. */
    public List<Hold> holds() {
        return access.holds().all().stream()
                .map(hold -> new Hold(hold.who(), hold.times(), hold.left(), hold.reason()))
                .toList();
    }

    /**
     * Lets somebody in again, and forgets what led to the hold.
     *
     * @param who as {@link Hold#who} names it
     * @return whether it was on hold
     */
    public boolean clearHold(String who) {
        return access.holds().clear(who);
    }

    /** Asks the database's authorizer whether an administrator may give an order; waits a second at most. */
    public Access mayAdminister(String who, String order) {
        return access.ask(authorizer -> authorizer.mayAdminister(who, order)).join();
    }

    /** Notifies the auditor of an order, and the outcome. */
    public void administered(String who, String order, String result) {
        access.audit().record(new AuditEvent.Administered(who, order, result));
    }
}
