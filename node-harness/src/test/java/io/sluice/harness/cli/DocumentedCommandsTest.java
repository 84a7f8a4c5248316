package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The commands of the README and of the pages of docs, as somebody would type them who reads a page from its beginning.
 *
 * <p>A block of commands has a comment before it, which pages do not show: {@code <!-- run -->} in each build,
 * {@code <!-- run in full -->} with {@code -Pfull}, or {@code <!-- not run: why -->}. A block of {@code console} also
 * shows what a command prints, behind its line: {@code ...} stands for any lines, {@code …} for any text. With
 * {@code <!-- run, figures vary -->} the numbers are those of one run, and others may come; with {@code <!-- run, exit
 * code 2 -->} the last command ends so.
 */
class DocumentedCommandsTest {
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern MARK =
            Pattern.compile("<!-- (run|run in full|not run: .{10,})(, figures vary)?(?:, exit code (\\d+))? -->");
    /** What a command says meanwhile that takes more than two seconds, as any does on a busy machine. */
    private static final Pattern IN_PROGRESS = Pattern.compile("[a-z ]+: [0-9.]+ %, .* left");

    private static final Duration LONGEST_COMMAND = Duration.ofMinutes(5);
    /** A rate that varies may have another unit, too. */
    private static final Pattern RATE_UNIT = Pattern.compile("[KMGT]iB/s");

    private static final Pattern FENCE = Pattern.compile("```(sh|console)");
    private static final Pattern UNMARKED = Pattern.compile(" {4}(\\$ )?(\\./sluice|mvn) .*");
    /** What a command says on standard error that takes more than two seconds, as on a machine that is busy. */
    private static final Pattern PROGRESS = Pattern.compile("[a-z][a-z ]*(: [0-9.]+ %, |, for [0-9]+ s).*");

    /** Marks of blocks. */
    private static final String QUICK = "run";

    private static final String SLOW = "run in full";
    private static final String PROMPT = "$ ";
    private static final String ANY_LINES = "...";

    @TempDir
    private Path checkout = Path.of("");

    /** Commands of a page, and what is said before them. */
    private record Block(String mark, boolean varies, int exitCode, List<String> lines) {
        static Block of(String page, int line, String mark, List<String> lines) {
            Matcher said = MARK.matcher(mark);
            assertThat(said.matches())
                    .as(
                            "%s:%d: a block of commands behind '%s' (expected: a comment as <!-- run -->)",
                            page, line, mark)
                    .isTrue();
            return new Block(
                    said.group(1),
                    said.group(2) != null,
                    said.group(3) == null ? 0 : Integer.parseInt(said.group(3)),
                    List.copyOf(lines));
        }

        /** Each command with the lines that are shown below it. */
        List<List<String>> commands() {
            List<List<String>> commands = new ArrayList<>();
            boolean hasPrompts = lines.stream().anyMatch(line -> line.startsWith(PROMPT));
            for (String line : lines) {
                if (hasPrompts && !line.startsWith(PROMPT)) {
                    commands.get(commands.size() - 1).add(line);
                } else {
                    commands.add(new ArrayList<>(List.of(hasPrompts ? line.substring(PROMPT.length()) : line)));
                }
            }
            return commands;
        }
    }

    static Stream<String> pages() throws IOException {
        List<String> pages = new ArrayList<>(List.of("README.md", "conf/scenarios/README.md"));
        try (Stream<Path> docs = Files.list(HOME.resolve("docs"))) {
            docs.filter(page -> page.toString().endsWith(".md"))
                    .map(page -> "docs/" + page.getFileName())
                    .sorted()
                    .forEach(pages::add);
        }
        return pages.stream();
    }

    static Stream<String> pagesWithQuickCommands() throws IOException {
        return pages().filter(page -> has(page, QUICK));
    }

    static Stream<String> pagesWithSlowCommands() throws IOException {
        return pages().filter(page -> has(page, SLOW));
    }

    private static boolean has(String page, String mark) {
        return blocks(page).stream().anyMatch(block -> block.mark().equals(mark));
    }

    private static List<Block> blocks(String page) {
        List<String> lines;
        try {
            lines = Files.readAllLines(HOME.resolve(page));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (FENCE.matcher(lines.get(i)).matches()) {
                int end = i + 1 + lines.subList(i + 1, lines.size()).indexOf("```");
                blocks.add(Block.of(page, i + 1, i == 0 ? "" : lines.get(i - 1), lines.subList(i + 1, end)));
                i = end;
            }
        }
        return blocks;
    }

    @ParameterizedTest
    @MethodSource("pages")
    void commands_are_marked_as_run_or_say_why_not(String page) throws IOException {
        blocks(page);

        assertThat(Files.readAllLines(HOME.resolve(page)))
                .as("%s: commands in a block without a mark", page)
                .noneMatch(line -> UNMARKED.matcher(line).matches());
    }

    @ParameterizedTest
    @MethodSource("pages")
    void a_page_says_in_its_first_line_what_it_is_for(String page) throws IOException {
        List<String> lines = Files.readAllLines(HOME.resolve(page));

        assertThat(lines.get(0)).startsWith("# ");
        assertThat(lines.get(1)).isEmpty();
        assertThat(lines.get(2)).as("%s: a sentence below its title", page).matches("[A-Z`*].{20,}");
    }

    @Test
    void the_readme_is_a_screen_and_a_half() throws IOException {
        assertThat(Files.readAllLines(HOME.resolve("README.md"))).hasSizeLessThanOrEqualTo(90);
    }

    @ParameterizedTest
    @MethodSource("pagesWithQuickCommands")
    void quick_commands_do_what_the_page_shows(String page) throws Exception {
        run(page, QUICK);
    }

    @ParameterizedTest
    @MethodSource("pagesWithSlowCommands")
    @Tag("full")
    void slow_commands_do_what_the_page_shows(String page) throws Exception {
        run(page, SLOW);
    }

    private void run(String page, String mark) throws IOException, InterruptedException {
        // All that a page needs of a checkout; what its commands write stays here.
        Files.createSymbolicLink(checkout.resolve("conf"), HOME.resolve("conf"));
        Files.createSymbolicLink(checkout.resolve("docs"), HOME.resolve("docs"));
        Path sluice = Files.writeString(checkout.resolve("sluice"), script(mark));
        Files.setPosixFilePermissions(sluice, PosixFilePermissions.fromString("rwxr-xr-x"));
        for (Block block : blocks(page)) {
            if (!block.mark().equals(mark)) {
                continue;
            }
            List<List<String>> commands = block.commands();
            for (List<String> command : commands) {
                boolean isLast = command.equals(commands.get(commands.size() - 1));
                runOne(page, block, command, isLast ? block.exitCode() : 0);
            }
        }
    }

    private void runOne(String page, Block block, List<String> command, int exitCode)
            throws IOException, InterruptedException {
        String printed;
        try (StartedProcess process = StartedProcess.start(new ProcessBuilder("bash", "-c", command.get(0))
                .directory(checkout.toFile())
                .redirectErrorStream(true))) {
            int ended = process.awaitExit(LONGEST_COMMAND);
            printed = process.lines().stream()
                    .filter(line -> !IN_PROGRESS.matcher(line).matches())
                    .collect(Collectors.joining("\n"));
            assertThat(ended)
                    .as("exit code of %s of %s, which printed:%n%s", command.get(0), page, printed)
                    .isEqualTo(exitCode);
        }
        if (command.size() > 1) {
            List<String> shown = command.subList(1, command.size());
            assertThat(printed.stripTrailing()
                            .lines()
                            .filter(line -> !PROGRESS.matcher(line).matches())
                            .map(String::stripTrailing)
                            .reduce("", (a, b) -> a + b + "\n"))
                    .as("what %s of %s prints", command.get(0), page)
                    .matches(pattern(shown, block.varies()));
        }
    }

    /** Of all that may be printed where this is shown. */
    private static Pattern pattern(List<String> shown, boolean varies) {
        StringBuilder pattern = new StringBuilder();
        for (String line : shown) {
            if (line.equals(ANY_LINES)) {
                pattern.append("(?:.*\n)*?");
                continue;
            }
            for (Matcher part = Pattern.compile("…|[0-9][0-9.,]*| +|[^… 0-9]+").matcher(line); part.find(); ) {
                char first = part.group().charAt(0);
                if (first == '…') {
                    pattern.append(".*?");
                } else if (varies && (first == ' ' || Character.isDigit(first))) {
                    pattern.append(first == ' ' ? " +" : "[0-9][0-9.,]*");
                } else if (varies) {
                    pattern.append(
                            RATE_UNIT.matcher(Pattern.quote(part.group())).replaceAll("\\\\E[KMGT]iB/s\\\\Q"));
                } else {
                    pattern.append(Pattern.quote(part.group()));
                }
            }
            pattern.append("\n");
        }
        return Pattern.compile(pattern.toString());
    }

    /** What ./sluice does when it has been built. What takes long has the second compiler there, too. */
    private static String script(String mark) {
        List<String> words =
                JavaCommand.words(List.of("-Xmx512m", "-XX:+UseSerialGC", "-Dsluice.home=."), Main.class.getName());
        String command = words.stream()
                .filter(word -> mark.equals(QUICK) || !word.startsWith("-XX:TieredStopAtLevel="))
                .map(word -> "'" + word + "'")
                .collect(Collectors.joining(" "));
        return "#!/bin/sh\nexec " + command + " \"$@\"\n";
    }
}
