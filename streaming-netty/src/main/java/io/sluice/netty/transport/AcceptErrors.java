package io.sluice.netty.transport;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.sluice.streaming.session.Failure;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says why a connection could not be accepted. Netty then accepts nothing for a second, so that a process without file
 * descriptors neither spins nor floods its log; connections that are open go on.
 */
final class AcceptErrors extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptErrors.class);

    /** One is made ahead: without a descriptor the classes that describe an error could not be loaded any more. */
    private Failure last = Failure.of(new IOException("none so far"));

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        last = Failure.of(cause);
        LOG.error(
                "{}: a connection cannot be accepted; trying again in 1 s: {}",
                context.channel().localAddress(),
                last);
        context.fireExceptionCaught(cause);
    }
}
