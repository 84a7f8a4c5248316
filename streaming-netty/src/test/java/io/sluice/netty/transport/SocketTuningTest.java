package io.sluice.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.sluice.streaming.ring.Address;
import io.sluice.tools.FreePort;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;

class SocketTuningTest {
    private static final SocketTuning PATIENT = new SocketTuning(0, "", Duration.ofMinutes(2));

    @Test
    void the_kernel_gives_both_ends_of_a_connection_up_on_epoll() throws Exception {
        Address address = new Address("127.0.0.1", FreePort.onLoopback());
        BlockingQueue<Channel> opened = new LinkedBlockingQueue<>();
        ChannelInitializer<Channel> noted = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                opened.add(channel);
            }

            @Override
            public boolean isSharable() {
                return true;
            }
        };
        try (Transport transport = Transport.create(Transport.Threads.named("tuning"), 1)) {
            assumeTrue(transport.kind().equals("epoll"), "no epoll here: the system's keep-alive is the second line");
            transport.listen(address, PATIENT, noted).syncUninterruptibly();
            transport.connect(address, PATIENT, noted).syncUninterruptibly();

            for (int end = 0; end < 2; end++) {
                EpollSocketChannel channel = (EpollSocketChannel) opened.poll(10, TimeUnit.SECONDS);
                assertThat(channel).isNotNull();
                assertThat(channel.config().getTcpUserTimeout()).isEqualTo(120_000);
                assertThat(channel.config().getTcpKeepIdle()).isEqualTo(60);
                assertThat(channel.config().getTcpKeepIntvl()).isEqualTo(15);
                assertThat(channel.config().getTcpKeepCnt()).isEqualTo(4);
            }
        }
    }

    @Test
    void a_receiving_socket_is_probed_by_the_kernel_where_the_jdk_can_say_so() throws Exception {
        try (SocketChannel socket = SocketChannel.open()) {
            assumeTrue(socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE), "not on this system");

            PATIENT.applyTo(socket);

            assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(60);
            assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT)).isEqualTo(4);
        }
    }

    /** The longest streaming_transfer_timeout: its half is more than the kernel takes. */
    @Test
    void a_day_of_patience_is_more_than_the_kernel_waits_between_probes() throws Exception {
        SocketTuning day = new SocketTuning(0, "", Duration.ofDays(1));
        try (SocketChannel socket = SocketChannel.open();
                Transport transport = Transport.create(Transport.Threads.named("tuning"), 1)) {
            assumeTrue(socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE), "not on this system");

            day.applyTo(socket);

            assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(32_767);
            assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL)).isEqualTo(10_800);
            assertThat(day.liveness(transport.kind().equals("epoll")).values()).allMatch(value -> value <= 86_400_000);
        }
    }
}
