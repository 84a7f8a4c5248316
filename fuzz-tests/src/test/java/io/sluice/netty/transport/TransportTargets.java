package io.sluice.netty.transport;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.sluice.fuzz.Pieces;

/** The frame layer of the Sluice dialect as Netty drives it. Stateless. */
public final class TransportTargets {
    private TransportTargets() {}

    /** The length of the first run of bytes, then all that a connection brings. */
    public static void connection(byte[] input) throws Exception {
        Pieces pieces = new Pieces(input);
        EmbeddedChannel channel = new EmbeddedChannel(new FrameDecoder());
        try {
            channel.writeInbound(Unpooled.wrappedBuffer(pieces.next()));
            channel.writeInbound(Unpooled.wrappedBuffer(pieces.rest()));
        } catch (DecoderException refused) {
            throw refused.getCause() instanceof RuntimeException inner ? inner : refused;
        } finally {
            channel.releaseInbound();
            channel.close().syncUninterruptibly();
        }
    }
}
