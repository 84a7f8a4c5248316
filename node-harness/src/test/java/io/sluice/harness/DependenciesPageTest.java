package io.sluice.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Each library that is shipped stands in docs/security.md, in the version that is shipped, with what is known of its
 * holes: who adds one, or takes another version, has to look.
 */
class DependenciesPageTest {
    /** Libraries of tests alone. */
    private static final List<String> OF_TESTS = List.of(
            "org.junit",
            "org.opentest4j",
            "org.apiguardian",
            "org.assertj",
            "org.awaitility",
            "org.hamcrest",
            "net.bytebuddy",
            "com.tngtech");

    /** Folder, artifact and version of a jar in a repository of Maven. */
    private static final Pattern JAR = Pattern.compile("(.*)/([^/]+)/([^/]+)/\\2-\\3[^/]*\\.jar");

    /** {@code | `netty-handler` 4.2.18.Final | …} */
    private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` (\\S+) \\|.*");

    /** {@code | netty-handler | 4.2.15.Final | CVE-… |} */
    private static final Pattern MENDED = Pattern.compile("(?m)^\\| ([a-zA-Z0-9-]+) \\| (\\d[\\w.-]*) \\| CVE-.*$");

    /** {@code | exception: lz4-java 1.9.9 | until 2026-12-31 | why |} */
    private static final Pattern EXCEPTION =
            Pattern.compile("(?m)^\\| exception: (\\S+ \\S+) \\| until (\\d{4}-\\d{2}-\\d{2}) \\| .+$");

    @Test
    void the_page_has_every_library_that_is_shipped_in_its_version_and_no_other() throws IOException {
        Set<String> shipped = shipped();
        Set<String> described = described();

        assertThat(shipped).as("found on the class path").hasSizeGreaterThan(20);
        assertThat(described)
                .as("docs/security.md, \"Dependencies\": look for known holes of what is new, and write it there")
                .isEqualTo(shipped);
    }

    @Test
    void nothing_is_shipped_that_has_a_known_hole() throws IOException {
        String page = Files.readString(root().resolve("docs/security.md"));

        assertThat(vulnerable(page, shipped(), LocalDate.now(ZoneOffset.UTC)))
                .as("docs/security.md, \"mended in\": take a newer version, or write an exception with its last day")
                .isEmpty();
    }

    @Test
    void an_older_version_is_found_and_an_exception_holds_until_its_day() {
        String page = """
                | lz4-java | 1.10.1 | CVE-2025-66566 |
                | exception: lz4-java 1.9.9 | until 2026-11-22 | only compresses |
                """;

        assertThat(vulnerable(page, Set.of("lz4-java 1.10.0"), LocalDate.of(2026, 11, 22)))
                .containsExactly("lz4-java 1.10.0 (mended in 1.10.1)");
        assertThat(vulnerable(page, Set.of("lz4-java 1.9.9"), LocalDate.of(2026, 11, 22)))
                .isEmpty();
        assertThat(vulnerable(page, Set.of("lz4-java 1.9.9"), LocalDate.of(2026, 11, 23)))
                .hasSize(1);
        assertThat(vulnerable(page, Set.of("lz4-java 1.10.1", "lz4-java 1.13.0", "other 1.0"), LocalDate.MIN))
                .isEmpty();
    }

    /** What of {@code shipped} is older than the page says that it must be, and has no exception. */
    private static List<String> vulnerable(String page, Set<String> shipped, LocalDate today) {
        Set<String> excepted = new TreeSet<>();
        EXCEPTION
                .matcher(page)
                .results()
                .filter(row -> !LocalDate.parse(row.group(2)).isBefore(today))
                .forEach(row -> excepted.add(row.group(1)));
        return MENDED.matcher(page)
                .results()
                .flatMap(row -> shipped.stream()
                        .filter(library -> library.startsWith(row.group(1) + " "))
                        .filter(library -> !excepted.contains(library))
                        .filter(library ->
                                compare(library.substring(row.group(1).length() + 1), row.group(2)) < 0)
                        .map(library -> library + " (mended in " + row.group(2) + ")"))
                .toList();
    }

    /** By the numbers in them, from the left. */
    private static int compare(String version, String other) {
        int[] left = numbers(version);
        int[] right = numbers(other);
        return Arrays.compare(left, right);
    }

    private static int[] numbers(String version) {
        return Arrays.stream(version.split("[.-]", -1))
                .takeWhile(part -> part.matches("\\d+"))
                .mapToInt(Integer::parseInt)
                .toArray();
    }

    private static Set<String> shipped() {
        Set<String> shipped = new TreeSet<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Matcher jar = JAR.matcher(entry.replace(File.separatorChar, '/'));
            if (jar.matches() && !isOurs(jar.group(2)) && !isOfTests(jar.group(1))) {
                shipped.add(jar.group(2) + " " + jar.group(3));
            }
        }
        return shipped;
    }

    private static boolean isOurs(String artifact) {
        return Files.isDirectory(root().resolve(artifact));
    }

    private static boolean isOfTests(String folder) {
        String group = folder.replace('/', '.');
        return OF_TESTS.stream().anyMatch(test -> group.contains("." + test + ".") || group.endsWith("." + test));
    }

    private static Set<String> described() throws IOException {
        Set<String> described = new TreeSet<>();
        String page = Files.readString(root().resolve("docs/security.md"));
        String section = page.substring(page.indexOf("## Dependencies"));
        Arrays.stream(section.split("\n", -1))
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .forEach(row -> {
                    for (String artifact : row.group(1).split(", ", -1)) {
                        described.add(artifact + " " + row.group(2));
                    }
                });
        return described;
    }

    private static Path root() {
        return Path.of("..");
    }
}
