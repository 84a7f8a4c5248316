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
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The simple name of a type says which one it is, whatever the module. */
class SimpleNamesTest {
    private static final Path HOME = Path.of("..");
    private static final Set<String> NO_TYPES = Set.of("package-info.java", "module-info.java");

    private static final Pattern NESTED =
            Pattern.compile("^ +(?:\\w+ )*(?:class|interface|enum|record|@interface) ([A-Z]\\w*)", Pattern.MULTILINE);

    /** Libraries that others compile against, or run beside their database. */
    private static final Set<String> PUBLISHED =
            Set.of("sstable-format", "streaming-core", "streaming-netty", "cassandra-bridge", "cassandra-hook");

    /** A released name beside another type that means the same. */
    private static final Set<String> ONE_THING = Set.of(
            "PlanResult.Failure", // of a session's failure, with peer and time
            "TopologyChange.BulkLoad"); // which a bulk load is

    private static List<Path> sources() throws IOException {
        return sources(module -> true);
    }

    private static List<Path> sources(Predicate<String> modules) throws IOException {
        try (Stream<Path> top = Files.list(HOME)) {
            List<Path> roots = top.filter(
                            module -> modules.test(module.getFileName().toString()))
                    .map(module -> module.resolve("src").resolve("main").resolve("java"))
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

    private static List<String> nested(Path source, String text) {
        return NESTED.matcher(text)
                .results()
                .map(found -> typeName(source) + "." + found.group(1))
                .toList();
    }

    private static String typeName(Path source) {
        return source.getFileName().toString().replace(".java", "");
    }

    /** A nested type is written without its outer one where it is declared, and where it is imported. */
    @Test
    void no_nested_type_of_a_library_has_the_name_of_another_type_of_them() throws IOException {
        List<Path> sources = sources(PUBLISHED::contains);
        Set<String> names = sources.stream().map(SimpleNamesTest::typeName).collect(Collectors.toSet());
        List<String> nested = new ArrayList<>();
        for (Path source : sources) {
            nested.addAll(nested(source, Files.readString(source)));
        }

        assertThat(nested).hasSizeGreaterThan(200).containsAll(ONE_THING);
        assertThat(nested)
                .filteredOn(name -> names.contains(name.substring(name.indexOf('.') + 1)))
                .containsExactlyInAnyOrderElementsOf(ONE_THING);
    }

    @Test
    void nested_types_are_seen() {
        assertThat(nested(
                        Path.of("Outer.java"),
                        "final class Outer {\n    private static final class Node {}\n    record Link(int a) {}\n}"))
                .containsExactly("Outer.Node", "Outer.Link");
    }

    @Test
    void two_files_of_one_name_are_seen() {
        Path one = Path.of("a", "Spread.java");
        Path other = Path.of("b", "Spread.java");

        assertThat(shared(List.of(one, other, Path.of("a", "Other.java"))))
                .containsExactly(Map.entry("Spread.java", Set.of(one, other)));
    }
}
