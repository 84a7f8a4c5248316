package io.sluice.harness.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NamespacesTest {
    /** Sends one datagram to the other node, if it can. */
    private static boolean canSend(Namespaces networks, Node from, Node to) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(networks.at(from));
        command.addAll(List.of("bash", "-c", "echo x > /dev/udp/" + to.address().host() + "/7000"));
        return new ProcessBuilder(command).start().waitFor() == 0;
    }

    private static String neighbours(Namespaces networks, Node node) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(networks.at(node));
        command.addAll(List.of("ip", "neigh"));
        return Namespaces.run(command.toArray(String[]::new));
    }

    private static Node node(Namespaces networks, int number) {
        return new Node(new UUID(0, number), "node" + number, networks.address(number), List.of());
    }

    @Test
    void each_cut_ends_by_itself_and_none_is_noticed_by_who_sends() throws Exception {
        assumeTrue(Namespaces.isPossible(), "only root on Linux may make networks: not tested here");
        try (Namespaces networks = Namespaces.open(Optional.empty())) {
            Node one = node(networks, 1);
            Node two = node(networks, 2);
            Node three = node(networks, 3);
            for (Node node : List.of(one, two, three)) {
                networks.at(node);
            }
            networks.cut(one, two);
            networks.cut(two, one);
            networks.cut(one, three);
            assertThat(canSend(networks, one, two)).isTrue();

            networks.heal(one, three);
            networks.heal(one, two);
            assertThat(neighbours(networks, one))
                    .contains(two.address().host())
                    .doesNotContain(three.address().host() + " dev");

            networks.heal(one, two);
            assertThat(neighbours(networks, one)).doesNotContain("PERMANENT");
            assertThat(neighbours(networks, two)).doesNotContain("PERMANENT");
        }
    }
}
