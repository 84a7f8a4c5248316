package io.sluice.cassandra.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.netty.transport.Transport;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.memory.MemoryPool;
import io.sluice.streaming.memory.PeerShares;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Opens connections to Cassandra nodes and accepts theirs. Thread-safe. */
public final class CassandraLinks implements Links, AutoCloseable {
    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(15);

    private final Transport transport;
    private final @Nullable SslContext tls;
    private final boolean verifiesHost;
    private final Duration timeout;
    /** The kernel finds a node that is gone, also while only keep-alives are sent; our own limits come first. */
    private final SocketTuning tuning;

    private final @Nullable SslContext serverTls;

    /** For the messages of all connections at all our ports; no address can take all of it. */
    private final PeerShares memory = new PeerShares(MemoryPool.ofHeap("messages"));

    private CassandraLinks(
            Transport transport,
            @Nullable SslContext tls,
            boolean verifiesHost,
            @Nullable SslContext serverTls,
            Duration timeout) {
        this.transport = transport;
        this.tls = tls;
        this.verifiesHost = verifiesHost;
        this.serverTls = serverTls;
        this.timeout = timeout;
        this.tuning = new SocketTuning(0, "", timeout.multipliedBy(2));
    }

    /**
     * Starts the event loops.
     *
     * @param tls empty for plain connections
     * @param timeout how long a node may read nothing, or send nothing when it must; on Linux a connection ends also if
     *     its machine acknowledges nothing for twice as long
     */
    public static CassandraLinks create(Optional<CassandraTls> tls, int threads, Duration timeout) throws SSLException {
        SslContext client = tls.isPresent() ? client(tls.get()) : null;
        SslContext server = tls.isPresent() && tls.get().key().isPresent()
                ? server(tls.get(), tls.get().key().get())
                : null;
        boolean verifiesHost = tls.isPresent() && tls.get().verifiesHost();
        return new CassandraLinks(
                Transport.create(Transport.Threads.named("cassandra"), threads), client, verifiesHost, server, timeout);
    }

    private static SslContext client(CassandraTls tls) throws SSLException {
        SslContextBuilder builder = SslContextBuilder.forClient()
                .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK)
                .protocols("TLSv1.3", "TLSv1.2")
                .trustManager(tls.trust());
        tls.key().ifPresent(builder::keyManager);
        return builder.build();
    }

    /** TLS context of our listener: accepts only nodes whose certificates we trust. */
    private static SslContext server(CassandraTls tls, KeyManagerFactory key) throws SSLException {
        return SslContextBuilder.forServer(key)
                .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK)
                .protocols("TLSv1.3", "TLSv1.2")
                .trustManager(tls.trust())
                .clientAuth(ClientAuth.REQUIRE)
                .build();
    }

    /** Whether connections are encrypted, in both directions. */
    public boolean isEncrypted() {
        return tls != null;
    }

    @Override
    public Duration timeout() {
        return timeout;
    }

    @Override
    public Clockwork clockwork() {
        return Clockwork.REAL;
    }

    @Override
    public OutgoingLink connect(InetSocketAddress node, Optional<InetSocketAddress> identity) {
        var inbound = new InboundBytes(node.toString(), new ReentrantLock(), HANDSHAKE_TIMEOUT.toNanos());
        Address address = new Address(node.getAddress().getHostAddress(), node.getPort());
        ChannelFuture connecting = transport.connect(address, tuning, new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                if (tls != null) {
                    SslHandler handler = tls.newHandler(channel.alloc(), address.host(), address.port());
                    io.sluice.netty.security.Tls.identify(handler.engine(), verifiesHost);
                    channel.pipeline().addLast(handler);
                }
                channel.pipeline().addLast(inbound.handler());
            }
        });
        Channel channel = connecting.awaitUninterruptibly().channel();
        try {
            if (!connecting.isSuccess()) {
                throw new IOException(connecting.cause().getMessage(), connecting.cause());
            }
            return shakeHands(channel, inbound, identity);
        } catch (IOException e) {
            // Then the last bytes of the node are read: with TLS they may say why it closes the connection.
            channel.close().awaitUninterruptibly();
            inbound.close();
            String reason = inbound.failure().orElseGet(() -> String.valueOf(e.getMessage()));
            throw new StreamException(ErrorCode.PEER_LOST, explanation(node, reason), e);
        } catch (RuntimeException e) {
            var unused = channel.close();
            inbound.close();
            throw e;
        }
    }

    @Override
    public CassandraAcceptor listen(
            InetSocketAddress at, Consumer<IncomingLink> onLink, CassandraAcceptor.Refusals onRefused)
            throws IOException {
        if (tls != null && serverTls == null) {
            throw new StreamException(
                    ErrorCode.WRONG_PEER,
                    "the node connects to us with TLS and requires our certificate (expected: a keystore)");
        }
        return CassandraAcceptor.start(
                at, serverTls, new CassandraAcceptor.Timeouts(HANDSHAKE_TIMEOUT, timeout), memory, onLink, onRefused);
    }

    private OutgoingLink shakeHands(Channel channel, InboundBytes inbound, Optional<InetSocketAddress> identity)
            throws IOException {
        SslHandler encryption = channel.pipeline().get(SslHandler.class);
        if (encryption != null
                && !encryption.handshakeFuture().awaitUninterruptibly().isSuccess()) {
            Throwable cause = encryption.handshakeFuture().cause();
            throw new IOException(
                    TlsFailure.reason(cause)
                            .or(() -> Optional.ofNullable(cause.getMessage()))
                            .orElse("closed during the TLS handshake"), // Netty's exception has no message
                    cause);
        }
        return OutgoingLink.shakeHands(
                channel, inbound, identity.orElse((InetSocketAddress) channel.localAddress()), timeout);
    }

    private String explanation(InetSocketAddress node, String reason) {
        String hint = tls == null
                ? " (is this the storage port, and does the node accept plain connections?)"
                : " (does the node use TLS, and does each side trust the other's certificate?)";
        return "cannot open a streaming connection to " + node + ": " + reason + hint;
    }

    @Override
    public void close() {
        transport.close();
        ReferenceCountUtil.release(tls); // native memory with OpenSSL
        ReferenceCountUtil.release(serverTls);
    }
}
