package io.sluice.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The picture and the page of the architecture say what the code is. */
class ArchitecturePageTest {
    private static final Path HOME = Path.of("..");
    private static final Path PICTURE = HOME.resolve("docs").resolve("images").resolve("architecture.svg");
    private static final Path PAGE = HOME.resolve("docs").resolve("architecture.md");
    /** Not those of tests: on fixtures of another module's tests, which have a version and a type, and on tools. */
    private static final Pattern DEPENDENCY = Pattern.compile(
            "<groupId>io\\.sluice</groupId>\\s*<artifactId>sluice-([\\w-]+)</artifactId>(?!\\s*<(?:version|scope>test))");

    private static Set<String> found(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(result -> result.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> modules() throws IOException {
        Set<String> modules = found("<module>([\\w-]+)</module>", Files.readString(HOME.resolve("pom.xml")));
        modules.removeAll(Set.of("interop-tests", "fuzz-tests", "bom", "embedded")); // tests, versions, jars of others
        return modules;
    }

    @Test
    void the_picture_has_all_modules_and_no_other() throws IOException {
        assertThat(found("data-module=\"([\\w-]+)\"", Files.readString(PICTURE)))
                .isEqualTo(modules());
    }

    @Test
    void its_arrows_are_the_dependencies_of_the_poms() throws IOException {
        Set<String> arrows = Pattern.compile("data-from=\"([\\w-]+)\" data-to=\"([\\w-]+)\"")
                .matcher(Files.readString(PICTURE))
                .results()
                .map(arrow -> arrow.group(1) + " -> " + arrow.group(2))
                .collect(Collectors.toSet());
        Set<String> dependencies = new TreeSet<>();
        for (String module : modules()) {
            String pom = Files.readString(HOME.resolve(module).resolve("pom.xml"));
            DEPENDENCY
                    .matcher(pom.substring(pom.indexOf("</parent>")))
                    .results()
                    .map(MatchResult::group)
                    .map(text -> DEPENDENCY.matcher(text).replaceAll("$1"))
                    .forEach(target -> dependencies.add(module + " -> " + target));
        }

        assertThat(arrows).isEqualTo(dependencies);
    }

    @Test
    void the_picture_has_all_packages_and_no_other() throws IOException {
        Set<String> packages = new TreeSet<>();
        for (String module : modules()) {
            packages.addAll(packagesOf(
                    HOME.resolve(module).resolve("src").resolve("main").resolve("java")));
        }

        assertThat(found("data-package=\"([\\w.]+)\"", Files.readString(PICTURE)))
                .isEqualTo(packages);
    }

    @Test
    void packages_that_the_page_names_exist() throws IOException {
        String picture = Files.readString(PICTURE);
        List<String> named = found("`(io\\.sluice(?:\\.[a-z]+)+)(?:\\.[A-Z]\\w*)?`", Files.readString(PAGE)).stream()
                .toList();

        assertThat(named)
                .hasSizeGreaterThan(8)
                .allSatisfy(name -> assertThat(picture).contains("data-package=\"" + name + "\""));
    }

    private static Set<String> packagesOf(Path sources) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            return files.filter(file -> file.endsWith("package-info.java"))
                    .map(file -> sources.relativize(file).getParent())
                    .map(folder -> folder.toString().replace('/', '.'))
                    .collect(Collectors.toSet());
        }
    }
}
