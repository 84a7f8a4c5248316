package io.sluice.harness.fault;

import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Makes a network, starts a process in it, prints the id of that, and waits to be killed. */
final class NetworkHolder {
    private NetworkHolder() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Namespaces network = Namespaces.open(Optional.of(1L << 20));
        Node node = new Node(UUID.randomUUID(), "node1", network.address(1), List.of());
        List<String> command = new ArrayList<>(network.at(node));
        command.addAll(List.of("sleep", "600"));
        Process inside = new ProcessBuilder(command).start();
        System.out.println(inside.pid());
        inside.waitFor();
    }
}
