package io.sluice.netty;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.NoSuchAlgorithmException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** Sockets of the JDK that speak TLS to a node as a test wants it, whoever the node is. Stateless. */
final class TlsClient {
    private static final int TIMEOUT_MILLIS = 15_000;

    private TlsClient() {}

    /** One that shows the certificate of {@code files}; its handshake is not begun. */
    static SSLSocket with(TlsFiles files, Node node) throws IOException {
        JdkSslContext context = (JdkSslContext) SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .keyManager(files.certificate().toFile(), files.key().toFile())
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .build();
        return over(context.context(), node);
    }

    /** One without a certificate. */
    static SSLSocket anonymous(Node node) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
            return over(context, node);
        } catch (NoSuchAlgorithmException | java.security.KeyManagementException e) {
            throw new AssertionError("every JDK has TLS", e);
        }
    }

    private static SSLSocket over(SSLContext context, Node node) throws IOException {
        Socket plain =
                new Socket(InetAddress.getLoopbackAddress(), node.address().port());
        plain.setSoTimeout(TIMEOUT_MILLIS);
        return (SSLSocket) context.getSocketFactory()
                .createSocket(plain, node.address().host(), node.address().port(), true);
    }
}
