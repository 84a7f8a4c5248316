package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent that starts again knows what it has pinned, and for whom. */
class OperationFileTest {
    private static final UUID OPERATION = new UUID(1, 1);
    private static final UUID TARGET = new UUID(2, 2);
    private static final TableRef USERS = new TableRef(new UUID(3, 3), "shop", "users");
    private static final TableRef CARTS = new TableRef(new UUID(4, 4), "shop", "carts");

    @TempDir
    private Path folder = Path.of("");

    private OperationFile file() throws IOException {
        return new OperationFile(folder.resolve("operation.json"));
    }

    @Test
    void what_is_pinned_is_known_after_a_restart_until_the_last_table_is_released() throws IOException {
        OperationFile file = file();
        file.add(OPERATION, TARGET, USERS);
        file.add(OPERATION, TARGET, CARTS);
        file.add(OPERATION, TARGET, USERS);

        assertThat(file().kept()).contains(new OperationFile.Kept(OPERATION, TARGET, List.of(USERS, CARTS), List.of()));
        file.remove(OPERATION, USERS);
        assertThat(file().kept().orElseThrow().tables()).containsExactly(CARTS);
        file.remove(OPERATION, CARTS);
        assertThat(file().kept()).isEmpty();
    }

    @Test
    void a_snapshot_is_complete_once_it_is_said_and_until_the_table_is_pinned_again() throws IOException {
        Pinned users = new Pinned(USERS, 3, 1_000, List.of("nb"), false);
        OperationFile file = file();
        file.add(OPERATION, TARGET, USERS);
        assertThat(file().kept().orElseThrow().taken(USERS)).isEmpty();

        file.complete(OPERATION, users);
        file.add(OPERATION, TARGET, CARTS);

        assertThat(file().kept().orElseThrow().taken()).containsExactly(users);
        file.add(OPERATION, TARGET, USERS);
        assertThat(file().kept().orElseThrow().taken()).isEmpty();
    }

    @Test
    void a_file_of_an_agent_that_did_not_record_complete_snapshots_has_none() throws IOException {
        Files.writeString(
                folder.resolve("operation.json"),
                "{\"operation\": \"" + OPERATION + "\", \"target\": \"" + TARGET
                        + "\", \"tables\": [{\"id\": \"" + USERS.id()
                        + "\", \"keyspace\": \"shop\", \"name\": \"users\"}]}");

        assertThat(file().kept()).contains(new OperationFile.Kept(OPERATION, TARGET, List.of(USERS), List.of()));
    }

    @Test
    void a_second_operation_is_refused() throws IOException {
        OperationFile file = file();
        file.add(OPERATION, TARGET, USERS);

        assertThatThrownBy(() -> file.add(new UUID(9, 9), TARGET, CARTS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("keeps snapshots of operation " + OPERATION);
        assertThat(file.kept().orElseThrow().tables()).containsExactly(USERS);
    }

    @Test
    void a_file_that_is_not_understood_is_named() throws IOException {
        Files.writeString(folder.resolve("operation.json"), "{");

        assertThatThrownBy(this::file)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("operation.json: malformed");
    }
}
