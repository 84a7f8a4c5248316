package io.sluice.streaming.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProtocolVersionsTest {
    private static final UUID ID = new UUID(1, 2);

    @ParameterizedTest
    @CsvSource({"3,3,3,3,3", "3,4,3,3,3", "3,4,3,7,4", "3,6,4,5,5", "4,4,3,9,4", "5,9,3,4,0", "3,3,4,4,0", "9,3,3,9,0"})
    void the_highest_that_both_speak_is_spoken(int lowest, int highest, int otherLowest, int otherHighest, int spoken) {
        ProtocolVersions one = new ProtocolVersions(lowest, highest);
        ProtocolVersions other = new ProtocolVersions(otherLowest, otherHighest);
        OptionalInt expected = spoken == 0 ? OptionalInt.empty() : OptionalInt.of(spoken);

        assertThat(one.common(other)).isEqualTo(expected);
        assertThat(other.common(one)).isEqualTo(expected);
        assertThat(one.difference(other).isPresent()).isEqualTo(spoken == 0);
    }

    @Test
    void the_difference_names_the_versions_of_both() {
        assertThat(new ProtocolVersions(3, 3).difference(new ProtocolVersions(4, 6)))
                .hasValueSatisfying(text ->
                        assertThat(text).startsWith("supports versions 4 to 6 of the protocol (this node: version 3)"));
    }

    @Test
    void an_offer_arrives_as_it_left() {
        ProtocolVersions versions = new ProtocolVersions(4, 255);

        assertThat(ProtocolVersions.of(versions.offer())).isEqualTo(versions);
        assertThat(Message.Welcome.from(ID, versions).versions()).isEqualTo(versions);
        assertThat(hello(Message.Role.QUERY, versions.offer()).versions()).hasValue(versions);
    }

    @Test
    void a_node_from_before_offers_speaks_version_3() {
        assertThat(hello(Message.Role.CONTROL, 0).versions()).hasValue(new ProtocolVersions(3, 3));
        assertThat(new Message.Welcome(ID, 0).versions()).isEqualTo(new ProtocolVersions(3, 3));
        assertThat(new Message.Welcome(ID, 0xff).versions()).isEqualTo(new ProtocolVersions(3, 3));
    }

    @Test
    void a_data_connection_speaks_the_version_of_its_session() {
        assertThat(hello(Message.Role.DATA, 0x0909).versions()).isEmpty();
    }

    private static Message.Hello hello(Message.Role role, int connectionOrOffer) {
        return new Message.Hello(
                Message.Cluster.named("c"), ID, ID, role, ID, Message.SessionNumber.FIRST, connectionOrOffer);
    }
}
