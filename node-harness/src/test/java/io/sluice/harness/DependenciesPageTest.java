package io.sluice.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    private static final List<String> OF_TESTS =
            List.of("org.junit", "org.opentest4j", "org.apiguardian", "org.assertj", "net.bytebuddy", "com.tngtech");

    /** Folder, artifact and version of a jar in a repository of Maven. */
    private static final Pattern JAR = Pattern.compile("(.*)/([^/]+)/([^/]+)/\\2-\\3[^/]*\\.jar");

    /** {@code | `netty-handler` 4.2.18.Final | …} */
    private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` (\\S+) \\|.*");

    @Test
    void the_page_has_every_library_that_is_shipped_in_its_version_and_no_other() throws IOException {
        Set<String> shipped = shipped();
        Set<String> described = described();

        assertThat(shipped).as("found on the class path").hasSizeGreaterThan(20);
        assertThat(described)
                .as("docs/security.md, \"Dependencies\": look for known holes of what is new, and write it there")
                .isEqualTo(shipped);
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
