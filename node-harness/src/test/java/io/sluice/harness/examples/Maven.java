package io.sluice.harness.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The Maven that runs this test, as a process of its own. */
record Maven(Path home, Path repository) {
    /** As the profile {@code full} says. */
    static Maven ofThisBuild() {
        return new Maven(Path.of(property("build.maven")), Path.of(property("build.repository")));
    }

    private static String property(String name) {
        String value = System.getProperty(name);
        if (value == null) {
            throw new AssertionError(name + " is not set: run by Maven with -Pfull");
        }
        return value;
    }

    /** Runs goals in {@code folder}; fails with what Maven has printed, or if they leave our artifacts to the user. */
    void run(Path folder, Path javaHome, List<String> words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(home.resolve("bin").resolve("mvn").toString(), "-B", "-q"));
        command.addAll(words);
        Path output = folder.resolve("maven.log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", javaHome.toString());
        builder.environment().remove("MAVEN_OPTS");
        List<Path> before = ours();
        if (builder.start().waitFor() != 0) {
            throw new AssertionError(String.join(" ", command) + "\n" + Files.readString(output));
        }
        assertThat(ours()).as("artifacts of ours in %s", repository).isEqualTo(before);
    }

    private List<Path> ours() throws IOException {
        Path group = repository.resolve("io").resolve("sluice");
        if (!Files.exists(group)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(group)) {
            return files.sorted().toList();
        }
    }
}
