package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No number comes twice, also not after the process has died. */
class SSTableIdsTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void no_number_comes_twice_over_many_lives() throws IOException {
        Set<String> seen = new HashSet<>();
        for (int life = 0; life < 5; life++) {
            SSTableIds ids = new SSTableIds(folder.resolve("ids"));
            for (int i = 0; i < 1_234; i++) {
                String id = ids.next();
                assertThat(seen.add(id)).as(id).isTrue();
            }
        }
        assertThat(seen).contains("1").allMatch(id -> Integer.parseInt(id) > 0);
    }

    @Test
    void a_file_that_is_not_understood_is_named() throws IOException {
        Path file = Files.writeString(folder.resolve("ids"), "soon");

        assertThatThrownBy(() -> new SSTableIds(file).next())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'soon' (expected: the next number of an SSTable)");
        Files.writeString(file, "-3");
        assertThatThrownBy(() -> new SSTableIds(file).next()).hasMessageContaining("'-3'");
    }
}
