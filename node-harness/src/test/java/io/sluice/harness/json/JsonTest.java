package io.sluice.harness.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.RingTables;
import io.sluice.harness.admin.RingView;
import io.sluice.harness.agent.AgentMessages;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Limit;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Membership;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What programs read and write. */
class JsonTest {
    private static final UUID ID = new UUID(0, 1);

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

    /** Of each kind of order, with all that can be in it. */
    private static Stream<Record> orders() {
        TableRef table = new TableRef(new UUID(1, 1), "ks", "t");
        TokenRange range = TokenRange.of(-5, 5);
        TokenRanges ranges = TokenRanges.of(range);
        RingView tokens = new RingView(
                List.of(
                        node(1),
                        node(2).as(new Membership.Moving(List.of(new Token(7)))).in("dc2", "r"),
                        node(3).as(new Membership.Replacing(ID)).down()),
                new Replication.NetworkTopology(Map.of("dc2", 1)));
        RingView tablets = new RingView(
                List.of(node(1)),
                new Replication.Tablets(List.of(new Replication.Tablet(new Token(Long.MAX_VALUE), List.of(ID)))));
        Stream<Record> changes = Stream.of(
                        new TopologyChange.Bootstrap(node(1), true),
                        new TopologyChange.Replace(node(1), node(2)),
                        new TopologyChange.Rebuild(
                                List.of(node(1)), TokenRanges.FULL, TopologyChange.SourceFilter.inDc("dc2")),
                        new TopologyChange.Decommission(node(1)),
                        new TopologyChange.RemoveNode(node(1)),
                        new TopologyChange.Move(node(1), List.of(new Token(3))),
                        new TopologyChange.Repair(
                                List.of(new TopologyChange.Difference(node(1), node(2), table, ranges)), true),
                        new TopologyChange.MigrateTablet(table, new Token(3), ID, new UUID(0, 2)))
                .map(change -> new AdminRequests.Fetch(
                        ID,
                        change,
                        List.of(new RingTables(tokens, List.of(table)), new RingTables(tablets, List.of(table)))));
        AgentMessages.Proof proof = new AgentMessages.Proof(ID, "10.0.0.7:7000", 1, 0, 2, 3, 4, 5, "d");
        return Stream.concat(
                changes,
                Stream.of(
                        new AdminRequests.CreateTable(table, "CREATE TABLE"),
                        new AdminRequests.Write(ID, "AAAA"),
                        new AdminRequests.Read(ID, List.of("k")),
                        new AdminRequests.Digest(ID, List.of(range)),
                        new AdminRequests.OnTable(ID),
                        new AdminRequests.TakePart(ID, List.of(range), true),
                        new AdminRequests.Cancel(ID),
                        new AdminRequests.Pause(ID, true),
                        new AdminRequests.Prioritize(ID, Operation.Priority.REPAIR),
                        new AdminRequests.Throughput(Limit.STREAM_THROUGHPUT_INBOUND, 5),
                        new AdminRequests.DiskRate(5),
                        new AdminRequests.ClearHold("address 127.0.0.1"),
                        new AgentMessages.Keyspace("ks"),
                        new AgentMessages.SizeOrder("ks", List.of(range)),
                        new AgentMessages.Pin(ID, ID, List.of(table)),
                        new AgentMessages.Unpin(ID, List.of(table)),
                        new AgentMessages.DigestOrder(ID, table, List.of(range)),
                        new AgentMessages.Fetch(ID, ID, ID, Operation.REPLACE, node(1), List.of(table), ranges),
                        new AgentMessages.Pause(ID, true),
                        new AgentMessages.Throughput(ID, 5),
                        new AgentMessages.Cancel(ID),
                        new AgentMessages.LandedOrder(ID, table, List.of(range)),
                        new AgentMessages.Import(ID, table, List.of(proof)),
                        new AgentMessages.Discard(ID, Optional.of(ID)),
                        new AgentMessages.Discard(ID, Optional.empty()),
                        new AgentMessages.ArrivalsOrder(ID),
                        new AgentMessages.Mark(ID, "7", "ks", List.of("(0,1]")),
                        new AgentMessages.Task(
                                ID, ID, "POST /import", Json.ORDERS.valueToTree(new AgentMessages.End(ID))),
                        new AgentMessages.LetGo("7", Optional.of("why")),
                        new AgentMessages.LetGo("7", Optional.empty()),
                        new AgentMessages.End(ID)));
    }

    @ParameterizedTest
    @MethodSource("orders")
    void an_order_that_we_write_is_read_as_it_was(Record order) throws IOException {
        String json = Json.ORDERS.writeValueAsString(order);

        Record read = Json.ORDERS.readValue(json, order.getClass());

        assertThat(read).isEqualTo(order);
        assertThat(Json.ORDERS.writeValueAsString(read)).isEqualTo(json);
    }

    @Test
    void what_an_order_may_leave_out_is_not_there() throws IOException {
        assertThat(Json.ORDERS.readValue("{\"holdId\":\"7\"}", AgentMessages.LetGo.class))
                .isEqualTo(new AgentMessages.LetGo("7", Optional.empty()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"planId\":\"00000000-0000-0000-0000-000000000001\"}",
                "{\"planId\":\"00000000-0000-0000-0000-000000000001\",\"isPaused\":null}",
                "{\"planId\":\"00000000-0000-0000-0000-000000000001\",\"isPaused\":true,\"paused\":false}",
                "{\"planId\":null,\"isPaused\":true}",
                "{\"isPaused\":true}"
            })
    void an_order_says_all_and_nothing_else(String order) {
        assertThatThrownBy(() -> Json.ORDERS.readValue(order, AdminRequests.Pause.class))
                .isInstanceOf(JsonProcessingException.class);
    }
}
