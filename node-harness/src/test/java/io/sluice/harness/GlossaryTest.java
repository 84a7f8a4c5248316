package io.sluice.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Names, comments, messages and pages use the words of {@code docs/glossary.md}, one for each thing. */
class GlossaryTest {
    private static final Path HOME = Path.of("..");
    private static final Path GLOSSARY = HOME.resolve("docs").resolve("glossary.md");

    /** Pages of before, which say what was decided or changed then, and the glossary. */
    private static final Set<String> OTHERS = Set.of("decisions", "CHANGELOG.md", "glossary.md", "target", "work");

    /** A word that is not used any more, what stands for it, and the files in which it is right. */
    private record Retired(String expression, String instead, Set<String> allowed) {
        static Retired of(String line) {
            String[] columns = line.split(" = ", -1);
            return new Retired(columns[0], columns[1], columns.length < 3 ? Set.of() : Set.of(columns[2].split(", ")));
        }

        Stream<String> foundIn(Path file, String text) {
            return allowed.contains(file.getFileName().toString())
                    ? Stream.empty()
                    : Pattern.compile("\\b(?:" + expression + ")\\b", Pattern.CASE_INSENSITIVE)
                            .matcher(text)
                            .results()
                            .map(found -> file + ":"
                                    + text.substring(0, found.start()).lines().count() + ": \"" + found.group()
                                    + "\" (" + instead + ")");
        }
    }

    private static List<Retired> retired() throws IOException {
        try (var words = GlossaryTest.class.getResourceAsStream("retired-words.txt")) {
            assertThat(words).isNotNull();
            return new String(words.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(Retired::of)
                    .toList();
        }
    }

    private static List<Path> sourcesAndPages() throws IOException {
        try (Stream<Path> top = Files.list(HOME)) {
            return top.filter(path -> !path.getFileName().toString().startsWith("."))
                    .flatMap(GlossaryTest::textsOf)
                    .toList();
        }
    }

    private static Stream<Path> textsOf(Path top) {
        if (OTHERS.contains(top.getFileName().toString())) {
            return Stream.empty();
        }
        Path root = Files.isDirectory(top.resolve("src")) ? top.resolve("src").resolve("main") : top;
        if (!Files.exists(root)) {
            return Stream.empty();
        }
        try (Stream<Path> tree = Files.walk(root)) {
            return tree
                    .filter(file -> file.toString().matches(".*\\.(java|md|yaml)"))
                    .filter(file -> Stream.iterate(file, Path::getParent)
                            .takeWhile(folder -> folder != null && !folder.equals(root))
                            .noneMatch(folder ->
                                    OTHERS.contains(folder.getFileName().toString())))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void no_source_and_no_page_uses_a_retired_word() throws IOException {
        List<Retired> retired = retired();
        List<Path> texts = sourcesAndPages();
        Pattern any = Pattern.compile( // one look at each file decides most of them
                retired.stream().map(Retired::expression).collect(Collectors.joining("|", "\\b(?:", ")\\b")),
                Pattern.CASE_INSENSITIVE);

        assertThat(texts).hasSizeGreaterThan(500);
        assertThat(texts.stream()
                        .flatMap(file -> {
                            String text = read(file);
                            return any.matcher(text).find()
                                    ? retired.stream().flatMap(word -> word.foundIn(file, text))
                                    : Stream.empty();
                        })
                        .sorted())
                .isEmpty();
    }

    @Test
    void a_retired_word_is_found() {
        Retired stretch = Retired.of("stretch(es)? = range section = Old.java");

        assertThat(stretch.foundIn(Path.of("New.java"), "line\nTwo Stretches of it"))
                .containsExactly("New.java:2: \"Stretches\" (range section)");
        assertThat(stretch.foundIn(Path.of("Old.java"), "a stretch")).isEmpty();
        assertThat(stretch.foundIn(Path.of("New.java"), "stretched")).isEmpty();
    }

    @Test
    void the_glossary_defines_each_term_once_in_a_sentence_or_two() throws IOException {
        List<String[]> rows = Files.readAllLines(GLOSSARY).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| term ") && !line.startsWith("| ---"))
                .map(line -> line.split(" \\| |\\| | \\|"))
                .toList();

        assertThat(rows)
                .hasSizeBetween(40, 80)
                .allSatisfy(row -> assertThat(row[2]).as(row[1]).endsWith(".").hasSizeBetween(15, 200));
        assertThat(rows.stream().map(row -> row[1]).toList()).doesNotHaveDuplicates();
    }

    @Test
    void readme_and_architecture_link_the_glossary() throws IOException {
        assertThat(Files.readString(HOME.resolve("README.md"))).contains("(docs/glossary.md)");
        assertThat(Files.readString(HOME.resolve("docs").resolve("architecture.md")))
                .contains("(glossary.md)");
    }
}
