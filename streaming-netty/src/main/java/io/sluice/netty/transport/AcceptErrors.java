package io.sluice.netty.transport;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.sluice.streaming.session.Failure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says why a connection could not be accepted. Netty then accepts nothing for a second, so that a process without file
 * descriptors neither spins nor floods its log; connections that are open go on.
 */
final class AcceptErrors extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptErrors.class);

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.error(
                "{}: a connection cannot be accepted; trying again in 1 s: {}",
                context.channel().localAddress(),
                Failure.of(cause));
        context.fireExceptionCaught(cause);
    }
}
