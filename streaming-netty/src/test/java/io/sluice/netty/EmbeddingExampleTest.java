package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(LeakCheck.class)
class EmbeddingExampleTest {
    @ParameterizedTest
    @ValueSource(strings = {"../README.md", "../docs/embedding.md"})
    void stands_in_the_documentation_as_it_is_compiled(Path page) throws IOException {
        String source = Files.readString(Path.of("src/test/java/io/sluice/netty/EmbeddingExample.java"));
        String example = source.substring(
                        source.indexOf("// readme:begin") + "// readme:begin\n".length(),
                        source.indexOf("    // readme:end"))
                .stripTrailing()
                .stripIndent();

        assertThat(Files.readString(page)).contains(example.strip());
    }
}
