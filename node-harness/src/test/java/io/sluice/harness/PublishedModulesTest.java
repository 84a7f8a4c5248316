package io.sluice.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.report.SluiceVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is published agrees with itself: poms, module descriptors, the BOM, the page for embedders. */
class PublishedModulesTest {
    private static final Path HOME = Path.of("..");
    private static final Pattern MODULE = Pattern.compile("<module>([\\w/-]+)</module>");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(sluice-[\\w-]+)</artifactId>");
    private static final Pattern EXPORTED = Pattern.compile("(?m)^    exports ([\\w.]+);");
    private static final Pattern UNDOCUMENTED = Pattern.compile("(?m)^              (io\\.sluice[\\w.]*),?$");
    private static final Pattern COMPARED = Pattern.compile("<include>(io\\.sluice[\\w.]*)</include>");
    private static final Pattern VERSION = Pattern.compile("(?m)^  <version>(.*)</version>$");

    private static String read(String... path) throws IOException {
        Path file = HOME;
        for (String name : path) {
            file = file.resolve(name);
        }
        return Files.readString(file);
    }

    private static Set<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(result -> result.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The folders of modules that are deployed. */
    private static List<String> published() throws IOException {
        List<String> published = new ArrayList<>();
        for (String module : found(MODULE, read("pom.xml"))) {
            if (!read(module, "pom.xml").contains("<maven.deploy.skip>true</maven.deploy.skip>")) {
                published.add(module);
            }
        }
        return published;
    }

    @Test
    void the_bom_has_all_artifacts_that_are_published_and_no_other() throws IOException {
        Set<String> artifacts = new TreeSet<>();
        for (String module : published()) {
            String pom = read(module, "pom.xml");
            artifacts.add(ARTIFACT.matcher(pom)
                    .results()
                    .map(MatchResult::group)
                    .findFirst()
                    .map(text -> ARTIFACT.matcher(text).replaceAll("$1"))
                    .orElseThrow());
        }

        assertThat(artifacts).contains("sluice-streaming-netty").doesNotContain("sluice-tools", "sluice-node-harness");
        assertThat(found(ARTIFACT, read("bom", "pom.xml"))).isEqualTo(artifacts);
    }

    /** The packages below a folder that are not among those exported to everybody. */
    private static Set<String> internal(Path root, Set<String> exported) throws IOException {
        try (Stream<Path> tree = Files.walk(root)) {
            return tree.filter(file -> file.endsWith("package-info.java"))
                    .map(file ->
                            root.resolveSibling("").relativize(file).toString().replace('/', '.'))
                    .map(file -> file.substring(0, file.length() - ".package-info.java".length()))
                    .filter(name -> !exported.contains(name))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    @Test
    void what_is_documented_and_compared_is_what_the_modules_export_to_everybody() throws IOException {
        int compared = 0;
        for (String module : published()) {
            Path descriptor = HOME.resolve(Path.of(module, "src", "main", "java", "module-info.java"));
            if (Files.exists(descriptor)) {
                String exports = Files.readString(descriptor);
                String pom = read(module, "pom.xml");
                Set<String> exported = found(EXPORTED, exports);
                assertThat(found(COMPARED, pom)).as(module).isEqualTo(exported);
                assertThat(found(UNDOCUMENTED, pom))
                        .as(module)
                        .isEqualTo(exported.isEmpty() ? Set.of() : internal(descriptor.resolveSibling("io"), exported));
                compared += exported.size();
            }
        }
        assertThat(compared).isPositive();
    }

    @Test
    void the_version_is_the_same_wherever_it_stands() throws IOException {
        String version = found(VERSION, read("pom.xml")).iterator().next();

        assertThat(found(VERSION, read("bom", "pom.xml"))).containsExactly(version);
        for (String module : found(MODULE, read("pom.xml"))) {
            assertThat(read(module, "pom.xml")).as(module).contains("<version>" + version + "</version>");
        }
        assertThat(read("docs", "embedding.md")).contains("<version>" + version + "</version>");
        assertThat(SluiceVersion.TEXT).isEqualTo("Sluice " + version);
        assertThat(read("CHANGELOG.md")).contains("## " + version);
    }
}
