package io.sluice.harness.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The examples, built by Maven from artifacts that were deployed to a repository of files, and run: on the JDK of this
 * build, and on 25 if there is one ({@code JAVA_HOME_25}, or beside the JDK of this build, or in {@code /opt}).
 */
@Tag("full")
class ExamplesTest {
    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final Path WORK = Path.of("target", "examples").toAbsolutePath();
    private static final Path DEPLOYED = WORK.resolve("repository");
    private static final Path SETTINGS = WORK.resolve("settings.xml");
    /** In place of the user's, which shall have nothing of ours; kept, so that plugins are fetched once. */
    private static final Path LOCAL = WORK.resolve("local");

    private static final Set<String> NOT_COPIED = Set.of("target", ".git", "work", "test");

    @TempDir
    private static Path builds = Path.of("");

    @TempDir
    private Path temp = Path.of("");

    /** From a copy: Maven may not build twice in one folder at the same time. */
    @BeforeAll
    static void deploy() throws Exception {
        Path source = WORK.resolve("source");
        for (Path old : List.of(source, DEPLOYED, LOCAL.resolve("io").resolve("sluice"))) {
            if (Files.exists(old)) {
                MoreFiles.deleteRecursively(old, RecursiveDeleteOption.ALLOW_INSECURE);
            }
        }
        copy(PROJECT, source);
        Files.writeString(SETTINGS, settings(Maven.ofThisBuild().repository()));
        run(
                source,
                Path.of(System.getProperty("java.home")),
                "deploy",
                "-P!lint",
                "-Denforcer.skip",
                "-Dmaven.test.skip=true",
                "-Dmaven.install.skip=true",
                "-DaltDeploymentRepository=examples::" + DEPLOYED.toUri(),
                "-pl",
                "bom,natives/linux-x86_64,embedded",
                "-am");
    }

    private static void run(Path folder, Path javaHome, String... words) throws Exception {
        List<String> all = new ArrayList<>(List.of("-s", SETTINGS.toString(), "-Dmaven.repo.local=" + LOCAL));
        all.addAll(List.of(words));
        Maven.ofThisBuild().run(folder, javaHome, all);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                if (NOT_COPIED.contains(folder.getFileName().toString())) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(to.resolve(from.relativize(folder)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(file, to.resolve(from.relativize(file)));
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** What was deployed, then what the user's Maven has fetched before, then what is to be had. */
    private static String settings(Path fetched) {
        return """
                <settings>
                  <profiles>
                    <profile>
                      <id>examples</id>
                      <repositories>%s%s</repositories>
                      <pluginRepositories>%s</pluginRepositories>
                    </profile>
                  </profiles>
                  <activeProfiles>
                    <activeProfile>examples</activeProfile>
                  </activeProfiles>
                </settings>
                """.formatted(
                        repository("repository", "deployed", DEPLOYED),
                        repository("repository", "fetched", fetched),
                        repository("pluginRepository", "fetched", fetched));
    }

    private static String repository(String element, String id, Path folder) {
        return "<" + element + "><id>" + id + "</id><url>" + folder.toUri() + "</url>"
                + "<releases><checksumPolicy>ignore</checksumPolicy></releases></" + element + ">";
    }

    /** The examples, built with a JDK; once for all tests. */
    private static Path built(Path javaHome) throws Exception {
        Path examples = builds.resolve(javaHome.getFileName());
        if (!Files.exists(examples)) {
            copy(PROJECT.resolve("examples"), examples);
            run(examples, javaHome, "package");
        }
        assertThat(LOCAL.resolve("io").resolve("sluice").resolve("sluice-streaming-netty"))
                .isNotEmptyDirectory();
        return examples;
    }

    private static Stream<Path> jars(Path example) throws IOException {
        try (Stream<Path> own = Files.list(example.resolve("target"));
                Stream<Path> others = Files.list(example.resolve("target").resolve("lib"))) {
            return Stream.concat(own, others).filter(file -> file.toString().endsWith(".jar")).toList().stream();
        }
    }

    private static Path jdk(String version) throws IOException {
        Path own = Path.of(System.getProperty("java.home"));
        if (version.equals("own")) {
            return own;
        }
        Optional<Path> found =
                Optional.ofNullable(System.getenv("JAVA_HOME_" + version)).map(Path::of);
        Path sdkman = Path.of(System.getProperty("user.home"), ".sdkman", "candidates", "java");
        for (Path folder : List.of(own.resolveSibling("."), Path.of("/opt"), sdkman)) {
            if (found.isEmpty() && Files.isDirectory(folder)) {
                try (Stream<Path> homes = Files.list(folder)) {
                    found = homes.filter(home -> isJdk(home, version)).findFirst();
                }
            }
        }
        if (found.isEmpty()) {
            System.out.println("No JDK " + version + " was found: the examples are not run on it. JAVA_HOME_" + version
                    + " would name one.");
        }
        assumeThat(found).as("JDK %s", version).isPresent();
        return found.orElseThrow().toRealPath();
    }

    private static boolean isJdk(Path home, String version) {
        try {
            return Files.isExecutable(home.resolve("bin").resolve("javac"))
                    && Files.readString(home.resolve("release")).contains("JAVA_VERSION=\"" + version);
        } catch (IOException noJdk) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"own", "25"})
    void the_tiny_database_replaces_a_node(String version) throws Exception {
        Path jdk = jdk(version);
        Path example = built(jdk).resolve("tiny-database");

        try (TinyCluster cluster = new TinyCluster(temp, jdk.resolve("bin").resolve("java"), jars(example), "many")) {
            assertThat(cluster.replace("tiny.TinyDatabase")).contains("replaced c");
            cluster.assertReplaced();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"own", "25"})
    void an_application_of_netty_4_1_streams(String version) throws Exception {
        Path jdk = jdk(version);
        Path example = built(jdk).resolve("netty-4.1");
        assertThat(jars(example).map(jar -> jar.getFileName().toString()))
                .filteredOn(jar -> jar.matches("netty-(common|buffer|handler|codec|transport).*"))
                .hasSizeGreaterThan(5)
                .allMatch(jar -> jar.contains("-4.1.137.Final"));

        try (TinyCluster cluster = new TinyCluster(temp, jdk.resolve("bin").resolve("java"), jars(example), "many")) {
            List<String> printed = cluster.replace("app.Application");

            assertThat(printed).contains("replaced c");
            assertThat(greeting(printed.get(0).replace("greets on port ", "")))
                    .isEqualTo("this is Netty 4.1.137.Final");
            cluster.assertReplaced();
        }
    }

    private static String greeting(String port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            return lines.readLine();
        }
    }
}
