package io.sluice.harness.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What programs read and write. */
class JsonTest {
    private static Node node(int number) {
        return new Node(
                new UUID(0, number), "node" + number, new Address("127.0.0.1", 7000), List.of(new Token(number)));
    }

    @Test
    void a_change_has_the_name_of_its_command_and_is_read_by_the_one_that_it_had() throws IOException {
        TopologyChange change = new TopologyChange.Replace(node(1), node(2));

        ObjectNode json = Json.MAPPER.valueToTree(change);

        assertThat(json.get("kind").asText()).isEqualTo("replace-node");
        assertThat(Json.MAPPER.treeToValue(json, TopologyChange.class)).isEqualTo(change);
        assertThat(Json.MAPPER.treeToValue(json.put("kind", "replace"), TopologyChange.class))
                .isEqualTo(change);
    }
}
