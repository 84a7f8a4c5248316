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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Access control of a node: peers on hold, and orders of administrators. Thread-safe. */
public final class PeerAccess {
    private static final Logger LOG = LoggerFactory.getLogger(PeerAccess.class);

    private final AccessControl access;

    PeerAccess(AccessControl access) {
        this.access = access;
    }

    /**
     * Creates the access control of {@code node}, which also remembers violations.
     *
     * @param security as configured
     * @param questions how the authorizer is asked
     */
    static AccessControl open(
            Node node, StreamOptions options, Optional<Tls> security, PeerLog log, AccessControl.Questions questions) {
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
                questions);
    }

    /**
     * Requires an explicit setting for plain text to other machines.
     *
     * @throws IOException if other machines can reach {@code node} in plain text, and {@code allow_plaintext} is not
     *     set
     */
    static void requirePrivacy(Node node, StreamOptions options) throws IOException {
        String host = node.address().host();
        if (options.tls().isPresent() || InetAddress.getByName(host).isLoopbackAddress()) {
            return;
        }
        if (!options.allowPlaintext()) {
            throw new IOException("listen_address " + host
                    + ": other machines reach it, and connections would be plain text; set tls_certificate, tls_key and"
                    + " tls_trust ('./sluice certs' creates some for tests), or listen on 127.0.0.1, or set allow_plaintext: true if the"
                    + " network is private");
        }
        LOG.warn(
                "node {} accepts plain text on {} (allow_plaintext is set): every host that can connect may fetch any"
                        + " table",
                node,
                node.address());
    }

    /**
     * A peer that is on hold.
     *
     * @param who {@code certificate} and a fingerprint, or {@code address} and an IP address or a network
     * @param times number of consecutive holds
     * @param left remaining time
     * @param reason the latest violation
     */
    public record Hold(String who, int times, Duration left, String reason) {}

    /** The peers that the node refuses for a while because they violated the protocol repeatedly. */
    public List<Hold> holds() {
        return access.holds().all().stream()
                .map(hold -> new Hold(hold.who(), hold.times(), hold.left(), hold.reason()))
                .toList();
    }

    /**
     * Ends a hold, and forgets the violations that caused it.
     *
     * @param who as {@link Hold#who} names it
     * @return whether it was on hold
     */
    public boolean clearHold(String who) {
        return access.holds().clear(who);
    }

    /** Asks the database's authorizer whether an administrator may give an order. Waits for at most one second. */
    public Access mayAdminister(String who, String order) {
        return access.ask(authorizer -> authorizer.mayAdminister(who, order)).join();
    }

    /** Reports an order and its outcome to the audit listener. */
    public void administered(String who, String order, String result) {
        access.audit().record(new AuditEvent.Administered(who, order, result));
    }
}
