package io.sluice.harness.cli;

import static io.sluice.tools.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.google.common.collect.Lists;
import io.sluice.tools.JavaCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ./sluice}, with a Maven and a Java that only pretend. Long because all of the script is tried here. */
class StartScriptTest {
    /** Its jar says which source it was made of. */
    private static final String MAVEN = """
            #!/usr/bin/env bash
            echo built >> "$FAKE/builds"
            echo "[INFO] Building Sluice node-harness 0.1.0                      [1/1]"
            [[ ! -e "$FAKE/hold" ]] || touch "$FAKE/holding"
            while [[ -e "$FAKE/hold" ]]; do sleep 0.05; done
            [[ "${MAVEN_OPTS:-}" != *-XX:?Use*GC* ]] || { echo "Multiple garbage collectors selected"; echo; exit 1; }
            [[ -z "${MAVEN_OPTS:-}" ]] || echo "$MAVEN_OPTS" > "$FAKE/maven-options"
            [[ ! -e "$FAKE/broken" ]] || { echo "[ERROR] Source.java:[3,1] ';' expected"; exit 1; }
            while [[ "$1" != -pl ]]; do shift; done
            target="$2/target/sluice"
            mkdir -p "$target"
            version="$(cat "$FAKE/version" 2> /dev/null || echo 0.1.0)"
            cat node-harness/src/main/java/Source.java > "$target/sluice-$2-$version.jar"
            echo "a library" > "$FAKE/library.jar"
            echo -n "$FAKE/library.jar" > "$target/classpath"
            """;

    /** The command {@code show} prints the first jar; {@code wait} does so when it may. */
    private static final String JAVA = """
            #!/usr/bin/env bash
            all="$*"
            echo "$all" >> "$FAKE/options"
            echo "${LC_CTYPE:-}" > "$FAKE/letters"
            made="${all##*-XX:SharedArchiveFile=}"
            [[ "$all" != *-Xshare:dump* ]] || echo "an archive" > "${made%% -cp *}"
            while [[ "$#" -gt 0 && "$1" != -cp ]]; do shift; done
            jars="$2"
            [[ "${3:-}" == *Main ]] || { [[ -e "$FAKE/archives" ]]; exit; }
            if [[ "$4" == wait ]]; then
                touch "$FAKE/waiting"
                until [[ -e "$FAKE/go" ]]; do sleep 0.05; done
            fi
            cat "${jars%%:*}"
            """;

    @TempDir
    private Path folder = Path.of("");

    private Path home = Path.of("");

    private String javaHome = "";

    private String toolOptions = "";

    private String mavenOptions = "";

    private record Ended(int code, String out, String err) {}

    /** A command that runs in the background. */
    private record Running(Process process, Path out, Path err) {
        Ended end() throws IOException, InterruptedException {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
            return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
        }
    }

    @BeforeEach
    void sources() throws IOException {
        home = folder.resolve("a clone");
        javaHome = folder.resolve("jdk").toString();
        Files.createDirectories(home.resolve("node-harness/src/main/java"));
        Files.createDirectories(home.resolve("natives/linux"));
        Files.createDirectories(home.resolve(".mvn"));
        for (String file : List.of("pom.xml", "node-harness/pom.xml", "natives/linux/pom.xml", ".mvn/jvm.config")) {
            Files.writeString(home.resolve(file), "of " + file);
        }
        Files.copy(Path.of("..", "sluice"), home.resolve("sluice"));
        program(home.resolve("sluice"), Files.readString(home.resolve("sluice")));
        program(folder.resolve("bin/mvn"), MAVEN);
        program(folder.resolve("jdk/bin/java"), JAVA);
        Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"17.0.15\"\n");
        source("first");
    }

    private static void program(Path path, String text) throws IOException {
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void source(String text) throws IOException {
        Files.writeString(home.resolve("node-harness/src/main/java/Source.java"), text);
    }

    private Running start(Path script, Path from, String path, String... command) throws IOException {
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        ProcessBuilder builder = new ProcessBuilder(Lists.asList(script.toString(), command))
                .directory(from.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        environment(builder, path);
        return new Running(builder.start(), out, err);
    }

    private void environment(ProcessBuilder builder, String path) {
        builder.environment().put("PATH", path);
        builder.environment().put("JAVA_HOME", javaHome);
        builder.environment().put("FAKE", folder.toString());
        builder.environment().put("JAVA_TOOL_OPTIONS", toolOptions);
        builder.environment().put("MAVEN_OPTS", mavenOptions);
    }

    /** In the locale of a process that cron or systemd starts, or of somebody who has one. */
    @ParameterizedTest
    @CsvSource({"'',C.UTF-8", "C,C.UTF-8", "POSIX,C.UTF-8", "de_DE.ISO-8859-1,de_DE.ISO-8859-1"})
    void names_of_files_have_letters_of_any_language(String locale, String letters) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(home.resolve("sluice").toString(), "show")
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        environment(builder, folder.resolve("bin") + ":" + System.getenv("PATH"));
        builder.environment().keySet().removeAll(Set.of("LC_CTYPE", "LANG"));
        builder.environment().put("LC_ALL", locale);

        assertThat(builder.start().waitFor()).isZero();

        assertThat(folder.resolve("letters")).hasContent(letters);
    }

    private Running start(String... command) throws IOException {
        return start(home.resolve("sluice"), home, folder.resolve("bin") + ":" + System.getenv("PATH"), command);
    }

    private Ended run(String... command) throws IOException, InterruptedException {
        return start(command).end();
    }

    private int builds() throws IOException {
        return Files.readAllLines(folder.resolve("builds")).size();
    }

    private List<Path> kept() {
        try (Stream<Path> all = Files.list(home.resolve(".sluice"))) {
            return all.filter(Files::isDirectory).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void an_archive_of_classes_stays_where_it_was_made_for() throws IOException, InterruptedException {
        Files.createFile(folder.resolve("archives"));

        run("show");
        run("status");

        List<String> options = Files.readAllLines(folder.resolve("options"));
        String place = "-XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0 -XX:SharedArchiveFile=";
        assertThat(options)
                .filteredOn(line -> line.endsWith("Main show") || line.endsWith("Main status"))
                .hasSize(2)
                .allMatch(line -> line.contains(place) && line.contains("-Dpicocli.disable.closures=true"));
        assertThat(options.get(options.size() - 1))
                .contains("-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=4")
                .contains("-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote")
                .contains("-XX:-UseSerialGC -XX:+UseG1GC");
        assertThat(options).anyMatch(line -> line.startsWith("-Xmx512m -XX:+UseG1GC -Xshare:dump"));
        assertThat(options).noneMatch(line -> line.contains("--enable-native-access"));
    }

    @Test
    void a_checkout_may_have_an_ampersand_in_its_name() throws IOException, InterruptedException {
        home = Files.move(home, folder.resolve("this & that"));

        assertThat(run("show").code()).isZero();
        assertThat(Files.readString(folder.resolve("options"))).contains(":" + kept().get(0) + "/lib/library.jar ");
    }

    /** Also when the archive is made: Java 25 does not use one of other options. */
    @Test
    void newer_java_does_not_warn_of_what_libraries_do() throws IOException, InterruptedException {
        Files.createFile(folder.resolve("archives"));
        Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"25.0.3\"\n");

        run("show");

        assertThat(Files.readAllLines(folder.resolve("options")))
                .hasSizeGreaterThan(2)
                .allMatch(line ->
                        line.contains("--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow "));
    }

    @Test
    void agents_and_those_that_order_them_compile_less() throws IOException, InterruptedException {
        run("agent");
        run("cassandra", "rebuild");
        run("cassandra", "up");

        List<String> options = Files.readAllLines(folder.resolve("options"));
        assertThat(options)
                .filteredOn(line -> line.endsWith("Main agent"))
                .singleElement(STRING)
                .contains("-Xms24m -Xmx192m -XX:CompileThresholdScaling=4")
                .doesNotContain("TieredStopAtLevel");
        assertThat(options)
                .filteredOn(line -> line.endsWith("Main cassandra rebuild"))
                .singleElement(STRING)
                .contains("-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=4");
        assertThat(options)
                .filteredOn(line -> line.endsWith("Main cassandra up"))
                .singleElement(STRING)
                .doesNotContain("-XX:CompileThresholdScaling=4 -cp");
    }

    @Test
    void a_first_command_says_what_it_waits_for_and_shows_the_modules() throws IOException, InterruptedException {
        Ended ended = run("show");

        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(ended.out()).isEqualTo("first");
        assertThat(ended.err())
                .startsWith("sluice: builds itself from these sources before 'show' runs: about 60 s")
                .contains("(log: " + home.resolve(".sluice/build.log") + ")")
                .containsPattern(" 1 of 1, after \\d+ s: node-harness\n");
    }

    @Test
    @Tag("full")
    void a_build_is_found_by_content_and_not_by_time() throws IOException, InterruptedException {
        run("show");
        try (Stream<Path> files = Files.walk(home.resolve("node-harness"))) {
            for (Path file : files.toList()) {
                Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(3_600)));
            }
        }

        Ended later = run("show");

        assertThat(later).isEqualTo(new Ended(0, "first", ""));
        assertThat(builds()).isEqualTo(1);
    }

    /** Where {@code find} says all that the file system knows. */
    @Test
    void sources_are_read_again_if_one_has_changed_and_only_then() throws IOException, InterruptedException {
        run("show");
        run("show");
        assumeThat(home.resolve(".sluice/digest")).exists();
        for (String reader : List.of("sha256sum", "shasum", "cksum")) {
            program(folder.resolve("bin").resolve(reader), "#!/bin/sh\nexit 1\n");
        }

        assertThat(run("show")).isEqualTo(new Ended(0, "first", ""));
        assertThat(builds()).isEqualTo(1);

        Files.delete(folder.resolve("bin/sha256sum"));
        Path source = home.resolve("node-harness/src/main/java/Source.java");
        FileTime time = Files.getLastModifiedTime(source);
        source("f1rst");
        Files.setLastModifiedTime(source, time);

        assertThat(run("show").out()).isEqualTo("f1rst");
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    @Tag("full")
    void other_sources_are_another_build_and_the_one_of_before_goes() throws IOException, InterruptedException {
        run("show");
        source("second");

        assertThat(run("show").out()).isEqualTo("second");
        assertThat(builds()).isEqualTo(2);
        assertThat(kept()).hasSize(1);
    }

    @Test
    @Tag("full")
    void a_build_of_a_newer_version_has_no_jar_of_the_one_before() throws IOException, InterruptedException {
        run("show");
        source("second");
        Files.writeString(folder.resolve("version"), "0.2.0");

        assertThat(run("show").out()).isEqualTo("second");
        try (Stream<Path> jars = Files.list(kept().get(0).resolve("lib"))) {
            assertThat(jars.map(jar -> jar.getFileName().toString()))
                    .containsExactlyInAnyOrder("sluice-node-harness-0.2.0.jar", "library.jar");
        }
    }

    @Test
    @Tag("full")
    void a_command_that_runs_keeps_its_build_while_another_terminal_builds() throws IOException, InterruptedException {
        run("show");
        Running longOne = start("wait");
        await().until(() -> Files.exists(folder.resolve("waiting")));
        source("second");

        assertThat(run("show").out()).isEqualTo("second");

        assertThat(kept()).hasSize(2);
        Files.createFile(folder.resolve("go"));
        assertThat(longOne.end().out()).isEqualTo("first");
        source("third");
        assertThat(run("show").out()).isEqualTo("third");
        assertThat(kept()).as("nobody runs those of before any more").hasSize(1);
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void of_two_terminals_one_builds_and_the_other_waits(boolean hasFlock) throws IOException, InterruptedException {
        String path = folder.resolve("bin") + ":" + (hasFlock ? System.getenv("PATH") : pathWithoutFlock());
        Files.createFile(folder.resolve("hold"));
        Running one = start(home.resolve("sluice"), home, path, "show");
        await().until(() -> Files.exists(folder.resolve("holding")));
        Running two = start(home.resolve("sluice"), home, path, "show");
        await().until(() -> Files.readString(two.err()).contains("waits for the build of another terminal"));
        Files.delete(folder.resolve("hold"));

        assertThat(one.end().out()).isEqualTo("first");
        assertThat(two.end().out()).isEqualTo("first");
        assertThat(builds()).isEqualTo(1);
    }

    private String pathWithoutFlock() throws IOException {
        Path tools = Files.createDirectory(folder.resolve("tools"));
        for (String tool : List.of(
                "bash",
                "env",
                "readlink",
                "dirname",
                "find",
                "sort",
                "xargs",
                "cksum",
                "sha256sum",
                "ps",
                "cat",
                "tee",
                "tr",
                "sed",
                "grep",
                "head",
                "mkdir",
                "mv",
                "rm",
                "cp",
                "ln",
                "sleep",
                "touch")) {
            for (String place : List.of("/bin", "/usr/bin")) {
                Path program = Path.of(place, tool);
                if (Files.exists(program) && !Files.exists(tools.resolve(tool))) {
                    Files.createSymbolicLink(tools.resolve(tool), program);
                }
            }
        }
        return tools.toString();
    }

    @Test
    @Tag("full")
    void a_build_of_somebody_who_was_killed_holds_nobody_up() throws IOException, InterruptedException {
        Path locks = Files.createDirectories(home.resolve(".sluice"));
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Files.createSymbolicLink(locks.resolve("lock-held"), Path.of(Long.toString(gone.pid())));
        Files.createDirectory(locks.resolve("new-" + gone.pid()));

        Ended ended = start(home.resolve("sluice"), home, folder.resolve("bin") + ":" + pathWithoutFlock(), "show")
                .end();

        assertThat(ended.out()).as(ended.err()).isEqualTo("first");
        assertThat(kept()).hasSize(1);
    }

    @Test
    @Tag("full")
    void it_works_from_anywhere_and_through_a_link() throws IOException, InterruptedException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), home.resolve("sluice"));

        Ended ended = start(link, folder, folder.resolve("bin") + ":" + System.getenv("PATH"), "show")
                .end();

        assertThat(ended.out()).as(ended.err()).isEqualTo("first");
    }

    @Test
    @Tag("full")
    void a_build_that_fails_says_why_and_leaves_the_one_of_before() throws IOException, InterruptedException {
        run("show");
        source("second");
        Files.createFile(folder.resolve("broken"));

        Ended failed = run("show");

        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.err()).contains("sluice: the build failed: Source.java:[3,1] ';' expected (log: ");
        source("first");
        assertThat(run("show")).isEqualTo(new Ended(0, "first", ""));
    }

    /** Java ends with such a line when it cannot start, and Maven says nothing. */
    @Test
    void a_build_that_fails_without_an_error_of_maven_has_a_reason() throws IOException, InterruptedException {
        program(folder.resolve("bin/mvn"), """
                #!/usr/bin/env bash
                echo "Error occurred during initialization of VM"
                echo "Could not reserve enough space"
                echo
                exit 1
                """);

        Ended failed = run("show");

        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.err()).contains("sluice: the build failed: Could not reserve enough space (log: ");
    }

    /** Java says why before it says that it ends. */
    @Test
    void a_build_that_fails_for_an_option_of_java_names_the_option() throws IOException, InterruptedException {
        program(folder.resolve("bin/mvn"), """
                #!/usr/bin/env bash
                echo "Unrecognized VM option 'MaxPermSize=3m'"
                echo "Error: Could not create the Java Virtual Machine."
                echo "Error: A fatal exception has occurred. Program will exit."
                exit 1
                """);

        Ended failed = run("show");

        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.err()).contains("sluice: the build failed: Unrecognized VM option 'MaxPermSize=3m' (log: ");
    }

    /** Maven joins them with the settings of the project, which name one. */
    @Test
    void a_collector_for_maven_is_no_second_one() throws IOException, InterruptedException {
        mavenOptions = "-Xmx1g -XX:+UseParallelGC";

        Ended ended = run("show");

        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(folder.resolve("maven-options")).hasContent("-Xmx1g ");
    }

    @Test
    @Tag("full")
    void an_older_java_is_refused() throws IOException, InterruptedException {
        Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"11.0.2\"\n", StandardCharsets.UTF_8);

        Ended ended = run("show");

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err()).contains("needs Java 17 or newer, found '11'");
    }

    @Test
    void a_java_home_without_a_java_is_named() throws IOException, InterruptedException {
        javaHome = folder.resolve("jdk/bin").toString();

        Ended ended = run("show");

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err())
                .isEqualTo("sluice: JAVA_HOME is '" + javaHome + "', which has no bin/java (expected:"
                        + " the folder of Java 17 or newer; without JAVA_HOME, the java on the PATH is taken)\n");
    }

    /** Java does not start with two. */
    @ParameterizedTest
    @ValueSource(strings = {"node", "help", "sstable"})
    void a_collector_that_the_environment_names_is_no_second_one(String command)
            throws IOException, InterruptedException {
        runReally();
        toolOptions = "-XX:+UseParallelGC -XX:+UseDynamicNumberOfGCThreads";

        Ended ended = run(command);

        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(ended.err()).contains("Picked up JAVA_TOOL_OPTIONS:  -XX:+UseDynamicNumberOfGCThreads\n");
    }

    /** The commands are Java's own version, with the options of each. */
    private void runReally() throws IOException {
        Files.writeString(
                folder.resolve("jdk/release"), "JAVA_VERSION=\"" + System.getProperty("java.version") + "\"\n");
        program(folder.resolve("jdk/bin/java"), """
                #!/usr/bin/env bash
                [[ "$*" == *Main* ]] || exit 1
                options=()
                while [[ "$1" != -cp ]]; do options+=("$1"); shift; done
                exec "%s" "${options[@]}" -version
                """.formatted(JavaCommand.executable()));
    }

    /** Those of the jar of benchmarks, which reads its options itself. */
    @ParameterizedTest
    @CsvSource({
        "help bench transfer,bench transfer --help",
        "help compare,compare --help",
        "help sstable verify,help sstable verify"
    })
    void help_of_a_benchmark_is_its_own(String words, String command) throws IOException, InterruptedException {
        assertThat(run(words.split(" ")).code()).isZero();

        assertThat(Files.readString(folder.resolve("options"))).endsWith(".Main " + command + "\n");
    }

    @ParameterizedTest
    @CsvSource({"17.0.15,'all=error,cds*=off:stderr'", "25.0.3,'all=error,cds*=off,aot*=off:stderr'"})
    void an_archive_that_does_not_fit_is_not_worth_a_word(String release, String words)
            throws IOException, InterruptedException {
        Files.createFile(folder.resolve("archives"));
        Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"" + release + "\"\n");

        run("node");

        assertThat(Files.readString(folder.resolve("options")))
                .contains(" -Xlog:disable -Xlog:" + words + " ")
                .contains(" -Dsluice.node.java.options=-Xlog:disable -Xlog:" + words + " ");
    }
}
