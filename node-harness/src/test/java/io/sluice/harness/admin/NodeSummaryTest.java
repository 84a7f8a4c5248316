package io.sluice.harness.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.sluice.harness.json.Json;
import io.sluice.harness.json.JsonTree;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeSummaryTest {
    private static final Node NODE =
            new Node(new UUID(1, 1), "node1", new Address("127.0.0.2", 7000), List.of(new Token(5)));
    private static final List<VolumeStatus> VOLUMES = List.of(
            new VolumeStatus("/data/1", 1L << 40, 5, 7, 2, Optional.empty()),
            new VolumeStatus("/data/2", 0, 0, 0, 0, Optional.of("it does not answer")));

    private static TableStatus table(int id, int sstables, long bytes) {
        return new TableStatus(new TableRef(new UUID(2, id), "ks", "t" + id), sstables, bytes);
    }

    @Test
    void is_what_a_node_says() throws IOException {
        NodeInfo info = new NodeInfo(
                NODE, "epoll", NodeInfo.Mode.JOINING, List.of(table(1, 3, 1L << 33), table(2, 4, 9)), VOLUMES);

        assertThat(NodeSummary.of(JsonTree.read(Json.MAPPER.writeValueAsString(info))))
                .isEqualTo(new NodeSummary(
                        "node1",
                        NODE.location(),
                        NODE.address(),
                        NodeInfo.Mode.JOINING,
                        (1L << 33) + 9,
                        7,
                        2,
                        VOLUMES));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"NORMAL\":\"GONE\"",
                "7000:70000",
                "7000:4294974296",
                "\"datacenter1\":\" \"",
                "\"tables\":\"tabs\""
            })
    void something_else_is_refused(String change) throws IOException {
        String said = Json.MAPPER.writeValueAsString(
                new NodeInfo(NODE, "epoll", NodeInfo.Mode.NORMAL, List.of(table(1, 3, 4)), VOLUMES));
        String[] fromTo = change.split(":", 2);
        assertThat(said).contains(fromTo[0]);

        assertThatThrownBy(() -> NodeSummary.of(JsonTree.read(said.replace(fromTo[0], fromTo[1]))))
                .isInstanceOf(JsonProcessingException.class);
    }
}
