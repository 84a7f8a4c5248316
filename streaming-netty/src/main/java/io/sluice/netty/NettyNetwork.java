package io.sluice.netty;

import io.sluice.netty.receive.DataLinks;
import io.sluice.netty.transport.Dialer;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.ProtocolVersions;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.runtime.DataChannel;
import io.sluice.streaming.runtime.Network;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.transfer.block.DataReceiver;
import java.util.UUID;

/**
 * The network of sockets: control and query connections on Netty's event loops, data connections on threads that block.
 * Thread-safe.
 *
 * @param self the id of this node
 */
record NettyNetwork(UUID self, Message.Cluster cluster, Dialer dialer, DataLinks links) implements Network {
    @Override
    public void dial(Node peer, Purpose purpose, PeerChannel.Listener listener, Answer answer) {
        dialer.dial(peer, hello(peer, purpose, ProtocolVersions.OURS.offer()), listener, answer);
    }

    @Override
    public DataChannel fetchFrom(Node peer, Purpose session, int number, DataReceiver receiver) {
        return links.open(peer, hello(peer, session, number), receiver);
    }

    private Message hello(Node peer, Purpose purpose, int connectionOrOffer) {
        return new Message.Hello(
                cluster, self, peer.id(), purpose.role(), purpose.planId(), purpose.session(), connectionOrOffer);
    }
}
