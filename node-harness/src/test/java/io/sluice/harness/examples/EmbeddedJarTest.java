package io.sluice.harness.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.tools.JavaCommand;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The jar that {@code mvn package} has made of {@code embedded}, with SLF4J and nothing else on the class path. */
@Tag("full")
class EmbeddedJarTest {
    private static final Path TINY_DATABASE =
            Path.of("..", "examples", "tiny-database", "src", "main", "java", "tiny");

    @TempDir
    private Path temp = Path.of("");

    private static Path embedded() throws IOException {
        try (Stream<Path> built = Files.list(Path.of("..", "embedded", "target"))) {
            return built.filter(file -> file.getFileName().toString().matches("sluice-embedded-[\\d.]+[.]jar"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no jar in embedded/target: mvn package makes it"));
        }
    }

    private static Path jarOf(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    /** The tiny database, compiled against that jar, and what it needs. */
    private List<Path> compiled() throws Exception {
        List<Path> jars = List.of(embedded(), jarOf(org.slf4j.Logger.class));
        List<String> arguments = new ArrayList<>(List.of("-cp", joined(jars), "-d", temp.resolve("classes").toString()));
        try (Stream<Path> sources = Files.list(TINY_DATABASE)) {
            sources.map(Path::toString).forEach(arguments::add);
        }
        int result = ToolProvider.getSystemJavaCompiler().run(null, System.out, System.err, arguments.toArray(String[]::new));
        assertThat(result).isZero();
        List<Path> classPath = new ArrayList<>(jars);
        classPath.add(temp.resolve("classes"));
        return classPath;
    }

    private static String joined(List<Path> jars) {
        return jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    @ParameterizedTest
    @ValueSource(strings = {"many", "wide_lz4", "snappy", "zstd", "deflate"})
    void replaces_a_node_alone(String fixture) throws Exception {
        try (TinyCluster cluster =
                new TinyCluster(temp, Path.of(JavaCommand.executable()), compiled().stream(), fixture)) {
            cluster.replace("tiny.TinyDatabase");
            cluster.assertReplaced();
        }
    }
}
