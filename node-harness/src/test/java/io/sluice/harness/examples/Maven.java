package io.sluice.harness.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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

    /** Runs goals in {@code folder}; fails with what Maven has printed if they fail. */
    void run(Path folder, Path javaHome, List<String> words) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(home.resolve("bin").resolve("mvn").toString(), "-B", "-q"));
        command.addAll(words);
        Path output = folder.resolve("maven.log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", javaHome.toString());
        builder.environment().remove("MAVEN_OPTS");
        if (builder.start().waitFor() != 0) {
            throw new AssertionError(String.join(" ", command) + "\n" + Files.readString(output));
        }
    }
}
