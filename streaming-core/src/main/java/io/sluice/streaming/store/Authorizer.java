package io.sluice.streaming.store;

import io.sluice.sstable.token.TokenRanges;
import java.util.UUID;

/**
 * What the embedding database lets a peer do. Each question is asked for each plan again, on threads that may wait; no
 * answer within a second, an exception and {@code null} mean no. If TLS is on, the peer has proved by its certificate
 * that it is the node that it says it is before anything is asked.
 *
 * <p>Thread-safe.
 */
public interface Authorizer {
    /** Whoever is let in by TLS may fetch and offer every table, and administrators may give every order. */
    Authorizer EVERYTHING = new Authorizer() {};

    /**
     * Whether the peer may connect to this node; of running sessions asked again, at most once a second, when the peer
     * sends a message: if the answer has become no, its session ends.
     */
    default Access mayConnect(Peer peer) {
        return Access.granted();
    }

    /** Whether the peer may have these ranges of a table of this node, or be told how much of them there is. */
    default Access mayFetch(Peer peer, UUID planId, TableRef table, TokenRanges ranges) {
        return Access.granted();
    }

    /** Whether this node takes these ranges of a table from the peer, when a plan of this node says so. */
    default Access mayOffer(Peer peer, UUID planId, TableRef table, TokenRanges ranges) {
        return Access.granted();
    }

    /**
     * Whether an administrator may give an order. Default: whoever has reached the point where orders are given has
     * proved that already, as by the token of an admin endpoint.
     *
     * @param who the identity, as the embedder knows it
     * @param order its name, as {@code POST /cancel}
     */
    default Access mayAdminister(String who, String order) {
        return Access.granted();
    }
}
