package io.sluice.netty.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelConfig;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Options of sockets. Immutable.
 *
 * @param bufferBytes send and receive buffer; 0 leaves them to the kernel, which grows them as needed
 * @param congestionControl an algorithm of the kernel, such as {@code cubic}; empty for the kernel's default, but cubic
 *     on loopback. Set on Linux only, on listening sockets and on connecting sockets of Netty
 * @param giveUp after this time without an answer of the other machine the kernel ends a connection: a second check
 *     besides the heartbeats of a session. Must be longer than a receiver's disk may stall, because the kernel also
 *     counts the time in which a receiver reads nothing. 0 leaves it to the system. Linux only; elsewhere the system's
 *     keep-alive is the second check
 */
public record SocketTuning(int bufferBytes, String congestionControl, Duration giveUp) {
    /** Uses the kernel's own timeout, which is hours. */
    public SocketTuning(int bufferBytes, String congestionControl) {
        this(bufferBytes, congestionControl, Duration.ZERO);
    }

    private static final Logger LOG = LoggerFactory.getLogger(SocketTuning.class);

    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;
    private static final int NAME_BYTES = 16;
    private static final int KEEP_ALIVE_PROBES = 4;
    /** Of Linux: a longer time is refused, and with it the connection. */
    private static final long MOST_KEEP_ALIVE_SECONDS = 32_767;

    /** Others, especially BBR, pace a link whose capacity need not be measured. */
    private static final String ON_LOOPBACK = "cubic";

    /** Sets up a socket that is not connected yet. */
    public void applyTo(SocketChannel socket) throws IOException {
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (bufferBytes > 0) {
            socket.setOption(StandardSocketOptions.SO_RCVBUF, bufferBytes);
        }
        // The JDK has no TCP user timeout; receivers send little on data connections, so keep-alive detects a dead
        // peer.
        if (!giveUp.isZero() && socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
            socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, idleSeconds());
            socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, probeSeconds());
            socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_ALIVE_PROBES);
        }
    }

    private int idleSeconds() {
        return seconds(giveUp.toSeconds() / 2);
    }

    /** The interval with which the last probe fails when the timeout ends. */
    private int probeSeconds() {
        return seconds(giveUp.toSeconds() / 2 / KEEP_ALIVE_PROBES);
    }

    private static int seconds(long wanted) {
        return (int) Math.max(1, Math.min(wanted, MOST_KEEP_ALIVE_SECONDS));
    }

    /** Options of the kernel for connections on epoll; empty elsewhere. */
    Map<ChannelOption<Integer>, Integer> liveness(boolean isEpoll) {
        return isEpoll && !giveUp.isZero()
                ? Map.of(
                        EpollChannelOption.TCP_USER_TIMEOUT,
                        (int) Math.min(giveUp.toMillis(), Integer.MAX_VALUE),
                        EpollChannelOption.TCP_KEEPIDLE,
                        idleSeconds(),
                        EpollChannelOption.TCP_KEEPINTVL,
                        probeSeconds(),
                        EpollChannelOption.TCP_KEEPCNT,
                        KEEP_ALIVE_PROBES)
                : Map.of();
    }

    /**
     * Sets up a channel that will listen on {@code address}, or connect to it; accepted connections inherit the
     * congestion control. If it were set later, a connection that began with BBR would stay paced.
     */
    public void applyTo(Channel unconnected, InetAddress address) {
        String wanted = congestionControl.isEmpty() && address.isLoopbackAddress() ? ON_LOOPBACK : congestionControl;
        if (!wanted.isEmpty() && unconnected.config() instanceof EpollChannelConfig epoll) {
            ByteBuffer name = direct(wanted.getBytes(StandardCharsets.US_ASCII));
            try {
                epoll.setOption(tcpCongestion(name.remaining()), name);
            } catch (ChannelException e) {
                LOG.warn(
                        "congestion control {} is not available, using the kernel's default: {}", wanted, e.toString());
            }
        }
    }

    /** Sets up a channel that will send file bytes; returns its congestion control algorithm. */
    public String applyTo(Channel channel) {
        if (bufferBytes > 0) {
            channel.config().setOption(ChannelOption.SO_SNDBUF, bufferBytes);
        }
        return channel instanceof EpollSocketChannel socket ? congestionControlOf(socket) : "unknown";
    }

    private static String congestionControlOf(EpollSocketChannel socket) {
        ByteBuffer name = socket.config().getOption(tcpCongestion(NAME_BYTES));
        StringBuilder text = new StringBuilder();
        while (name != null && name.hasRemaining()) {
            byte letter = name.get();
            if (letter == 0) {
                break;
            }
            text.append((char) letter);
        }
        return text.toString();
    }

    private static RawUnixChannelOption tcpCongestion(int lengthBytes) {
        return new RawUnixChannelOption("TCP_CONGESTION", IPPROTO_TCP, TCP_CONGESTION, lengthBytes);
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }
}
