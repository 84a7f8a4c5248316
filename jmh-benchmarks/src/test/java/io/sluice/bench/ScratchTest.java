package io.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ScratchTest {
    /** The other one has nodes to stop before its folder can go. */
    private static final Set<String> OWNERS = Set.of("Scratch.java", "CassandraRows.java");

    @Test
    void every_temporary_folder_is_one_that_goes_when_the_process_ends() throws IOException {
        List<String> others = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of("src", "main", "java"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = file.getFileName().toString();
                if (!OWNERS.contains(name) && Files.readString(file).contains("createTempDirectory")) {
                    others.add(name);
                }
            }
        }

        assertThat(others).isEmpty();
    }
}
