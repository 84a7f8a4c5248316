package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is complete counts as long as the node takes part in every write: until its process ends. */
class RebuildFileTest {
    private static final long START = 1_000;
    private static final List<String> RANGES = List.of("(0,50]", "(60,70]");

    @TempDir
    private Path folder = Path.of("");

    private Path file() {
        return folder.resolve("rebuild.json");
    }

    @Test
    void a_restarted_agent_goes_on_with_what_has_begun() throws IOException {
        RebuildFile first = new RebuildFile(file());
        UUID operation = first.begin(START, 5_000).operation();
        first.mark(operation, START, "shop", RANGES);

        RebuildFile.Kept now = new RebuildFile(file()).begin(START, 9_000);

        assertThat(now).isEqualTo(new RebuildFile.Kept(operation, START, 5_000, Map.of("shop", RANGES)));
    }

    @Test
    void after_a_restart_of_the_node_it_begins_anew() throws IOException {
        RebuildFile file = new RebuildFile(file());
        UUID before = file.begin(START, 5_000).operation();
        file.mark(before, START, "shop", RANGES);

        assertThatThrownBy(() -> file.mark(before, START + 1, "logs", RANGES))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the node has started again since its rebuild began");
        RebuildFile.Kept anew = file.begin(START + 1, 9_000);

        assertThat(anew.operation()).isNotEqualTo(before);
        assertThat(anew.marked()).isEmpty();
        assertThatThrownBy(() -> file.mark(before, START + 1, "shop", RANGES))
                .hasMessage("rebuild " + before + " is over (run the command again)");
    }

    @Test
    void it_ends_once_and_no_other_does() throws IOException {
        RebuildFile file = new RebuildFile(file());
        UUID operation = file.begin(START, 5_000).operation();

        file.end(new UUID(1, 1));
        assertThat(file.is(operation.toString())).isTrue();
        file.end(operation);
        file.end(operation);

        assertThat(file.kept()).isEmpty();
        assertThat(file()).doesNotExist();
    }

    @Test
    void a_file_that_is_cut_off_is_named() throws IOException {
        Files.writeString(file(), "{\"operation\":");

        assertThatThrownBy(() -> new RebuildFile(file()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("rebuild.json: malformed (expected: a file written by an agent; remove it");
    }
}
