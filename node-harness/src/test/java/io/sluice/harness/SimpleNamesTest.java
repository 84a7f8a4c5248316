package io.sluice.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The simple name of a type says which one it is, whatever the module. */
class SimpleNamesTest {
    private static final Path HOME = Path.of("..");
    private static final Set<String> NO_TYPES = Set.of("package-info.java", "module-info.java");

    private static List<Path> sources() throws IOException {
        try (Stream<Path> top = Files.list(HOME)) {
            List<Path> roots = top.map(
                            module -> module.resolve("src").resolve("main").resolve("java"))
                    .filter(Files::isDirectory)
                    .toList();
            List<Path> sources = new ArrayList<>();
            for (Path root : roots) {
                try (Stream<Path> tree = Files.walk(root)) {
                    tree.filter(file -> file.toString().endsWith(".java"))
                            .filter(file ->
                                    !NO_TYPES.contains(file.getFileName().toString()))
                            .forEach(sources::add);
                }
            }
            return sources;
        }
    }

    private static Map<String, Set<Path>> shared(List<Path> sources) {
        Map<String, Set<Path>> byName = new TreeMap<>();
        for (Path source : sources) {
            byName.computeIfAbsent(source.getFileName().toString(), name -> new TreeSet<>())
                    .add(source);
        }
        byName.values().removeIf(files -> files.size() == 1);
        return byName;
    }

    @Test
    void no_two_types_of_main_code_share_one() throws IOException {
        List<Path> sources = sources();

        assertThat(sources).hasSizeGreaterThan(500);
        assertThat(shared(sources)).isEmpty();
    }

    @Test
    void two_files_of_one_name_are_seen() {
        Path one = Path.of("a", "Spread.java");
        Path other = Path.of("b", "Spread.java");

        assertThat(shared(List.of(one, other, Path.of("a", "Other.java"))))
                .containsExactly(Map.entry("Spread.java", Set.of(one, other)));
    }
}
