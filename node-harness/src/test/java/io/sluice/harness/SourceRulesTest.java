package io.sluice.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Nothing that is thrown is swallowed, no number depends on the locale: rules that only the text of the sources shows.
 */
class SourceRulesTest {
    private static final Pattern CATCH = Pattern.compile("catch \\((?:final )?([\\w |.]+?) (\\w+)\\) \\{");
    private static final Pattern COMMENT = Pattern.compile("//[^\\n]*|/\\*.*?\\*/", Pattern.DOTALL);
    /** Goes on, or fails the unit of work, or is handed to whoever does. */
    private static final Pattern ENDS =
            Pattern.compile("throw |[Ff]ail|handOn|note\\(|lose\\(|broken\\(|defective\\(|uncaughtException\\(");

    /** The JDK gives the errors of the operating system as text alone; they are read in one place. */
    private static final String READS_MESSAGES = "SystemError.java";

    private static final Pattern DECIDES_BY_TEXT = Pattern.compile(
            "getMessage\\(\\)\\)*\\s*\\.\\s*(?:contains|startsWith|endsWith|equals|matches|indexOf)\\w*\\(");

    private static final Pattern FORMATS = Pattern.compile("String\\.format\\(|\\.printf\\(|\\.formatted\\(");
    /** Not those of %s and %x. */
    private static final Pattern DIGITS_OF_A_LOCALE =
            Pattern.compile("%(?:\\d+\\$)?[-+ 0,(#]*\\d*(?:\\.\\d+)?[deEfgGt]");

    private static final Pattern NAMES_LOCALE =
            Pattern.compile("(?:String\\.format|\\.printf)\\(\\s*(?:Locale\\.\\w+|POINT),");

    /** A catch block: where, what it catches, and its statements without comments. */
    private record Caught(String place, String types, String body) {}

    private static List<Caught> blocks(String place, String source) {
        List<Caught> blocks = new ArrayList<>();
        Matcher matcher = CATCH.matcher(source);
        while (matcher.find()) {
            int depth = 1;
            int at = matcher.end();
            while (depth > 0) {
                char c = source.charAt(at++);
                depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            }
            String body =
                    COMMENT.matcher(source.substring(matcher.end(), at - 1)).replaceAll("");
            long line = source.substring(0, matcher.start()).lines().count();
            blocks.add(new Caught(place + ":" + line, matcher.group(1), body.strip()));
        }
        return blocks;
    }

    private static List<Caught> all() throws IOException {
        return files().stream()
                .flatMap(file -> blocks(file.toString(), read(file)).stream())
                .toList();
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            return modules.map(module -> module.resolve("src").resolve("main").resolve("java"))
                    .filter(Files::isDirectory)
                    .flatMap(SourceRulesTest::sources)
                    .toList();
        }
    }

    private static Stream<Path> sources(Path root) {
        try (Stream<Path> tree = Files.walk(root)) {
            return tree.filter(file -> file.toString().endsWith(".java")).toList().stream();
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
    void no_catch_block_is_empty() throws IOException {
        assertThat(all())
                .hasSizeGreaterThan(200)
                .allSatisfy(block -> assertThat(block.body()).as(block.place()).isNotEmpty());
    }

    @Test
    void whatever_is_caught_as_throwable_is_thrown_on_or_ends_its_unit() throws IOException {
        assertThat(all())
                .filteredOn(block -> block.types().matches(".*\\b(Throwable|Error)\\b.*"))
                .isNotEmpty()
                .allSatisfy(block -> assertThat(block.body()).as(block.place()).containsPattern(ENDS));
    }

    @Test
    void nothing_is_decided_by_the_text_of_an_exception() throws IOException {
        assertThat(files())
                .filteredOn(file -> DECIDES_BY_TEXT.matcher(read(file)).find())
                .allSatisfy(file -> assertThat(file).hasFileName(READS_MESSAGES));
        assertThat("if (String.valueOf(e.getMessage())\n  .contains(x))").containsPattern(DECIDES_BY_TEXT);
        assertThat("if (e.getMessage().startsWith(x))").containsPattern(DECIDES_BY_TEXT);
    }

    /** Statements that write numbers as the locale of the process does: with a comma, or in digits of its own. */
    private static List<String> writtenAsALocaleDoes(String source) {
        return Stream.of(COMMENT.matcher(source).replaceAll("").split(";"))
                .filter(statement -> FORMATS.matcher(statement).find()
                        && DIGITS_OF_A_LOCALE.matcher(statement).find()
                        && !NAMES_LOCALE.matcher(statement).find())
                .toList();
    }

    @Test
    void numbers_are_written_alike_in_every_locale() throws IOException {
        assertThat(files())
                .allSatisfy(file -> assertThat(writtenAsALocaleDoes(read(file)))
                        .as("%s", file)
                        .isEmpty());
        assertThat(writtenAsALocaleDoes("out.printf(\n\"%s: %d rows%n\", a, b);"))
                .hasSize(1);
        assertThat(writtenAsALocaleDoes("a = String.format(\"%1$.1f s\", b);")).hasSize(1);
        assertThat(writtenAsALocaleDoes("a = \"%,d\".formatted(b);")).hasSize(1);
        assertThat(writtenAsALocaleDoes(
                        "a = String.format(Locale.ROOT, \"%d\", b); out.printf(\"%-5s %08x%n\", c, d);"))
                .isEmpty();
    }

    @Test
    void the_rules_see_what_they_forbid() {
        List<Caught> blocks = blocks(
                "X.java",
                "try { a(); } catch (IOException e) { /* nothing */ } catch (final Error e) { if (b) { c(); } }");

        assertThat(blocks)
                .containsExactly(
                        new Caught("X.java:1", "IOException", ""), new Caught("X.java:1", "Error", "if (b) { c(); }"));
        assertThat(blocks.get(1).body()).doesNotContainPattern(ENDS);
    }
}
