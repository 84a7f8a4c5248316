package io.sluice.cassandra.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cassandra.wire.Handshake.Accept;
import io.sluice.cassandra.wire.Handshake.Initiate;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.streaming.StreamException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class HandshakeTest {
    private static final InetSocketAddress NODE = new InetSocketAddress("127.0.0.2", 7000);
    private static final String INITIATE_12 = "ca552dfa0c0c0c08067f0000021b58bac4c5ab";
    private static final String INITIATE_12_TO_13 = "ca552dfa0d0c0c08067f0000021b587b4a1a6b";

    private static WireInput input(String hex) {
        return new WireInput(new ByteArrayInputStream(Bytes.hex(hex).toArray()));
    }

    @Test
    void initiates_with_the_bytes_that_real_nodes_take() {
        assertThat(new Initiate(12, 12, NODE).encode().hex()).isEqualTo(INITIATE_12);
        assertThat(Initiate.of(NODE).encode().hex()).isEqualTo(INITIATE_12_TO_13);
    }

    @Test
    void reads_what_it_writes() throws IOException {
        assertThat(Initiate.read(input(INITIATE_12_TO_13))).isEqualTo(new Initiate(12, 13, NODE));
        assertThat(Accept.read(input("0000000c0000000c26f5673a"))).isEqualTo(new Accept(12, 12));
        assertThat(new Accept(13, 13).encode().hex()).isEqualTo("0000000d0000000d6c927e1c");
    }

    @Test
    void agrees_on_the_highest_version_that_both_speak() {
        assertThat(new Initiate(12, 12, NODE).agreedVersion()).isEqualTo(12);
        assertThat(new Initiate(12, 13, NODE).agreedVersion()).isEqualTo(13);
        assertThat(new Initiate(13, 14, NODE).agreedVersion()).isEqualTo(13);
    }

    @Test
    void refuses_a_peer_of_another_age() {
        assertThatThrownBy(() -> new Initiate(14, 15, NODE).agreedVersion())
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("versions 14 to 15");
        String elevenAgreed = new Accept(11, 11).encode().hex();
        assertThatThrownBy(() -> Accept.read(input(elevenAgreed))).isInstanceOf(StreamException.class);
    }

    @Test
    void refuses_a_wrong_checksum_and_a_stranger() {
        assertThatThrownBy(() -> Initiate.read(input(INITIATE_12.replace("bac4", "bac5"))))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("CRC-32");
        assertThatThrownBy(() -> Initiate.read(input("16030102000100")))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("TLS");
    }

    @Test
    void refuses_a_connection_for_other_messages() {
        String messaging = new Initiate(12, 12, NODE).encode().hex().replace("0c0c0c08", "0c0c0c01");
        Bytes body = Bytes.hex(messaging.substring(0, messaging.length() - 8));
        String crc = Bytes.ofInt(WireOutput.crcOf(body)).hex();

        assertThatThrownBy(() -> Initiate.read(input(body.hex() + crc)))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("flags 1");
    }
}
