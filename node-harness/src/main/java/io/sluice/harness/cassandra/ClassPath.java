package io.sluice.harness.cassandra;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The jars of one release, as Maven finds them in the local repository, to which it fetches what is missing. Immutable.
 *
 * @param jars of Cassandra and all that it depends on
 */
public record ClassPath(List<Path> jars) {
    private static final long FETCH_MINUTES = 15;
    private static final Pattern ITSELF =
            Pattern.compile("(?:apache-cassandra|cassandra-all)-([45]\\.\\d+\\.\\d+)\\.jar");

    public ClassPath {
        jars = List.copyOf(jars);
    }

    /**
     * Finds the jars; the answer is kept in {@code folder} for later.
     *
     * @throws IOException saying what to do, if there is no Maven or the release cannot be fetched
     */
    public static ClassPath resolve(Release release, Path folder) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        Path kept = folder.resolve("class-path-" + release + ".txt");
        Optional<ClassPath> known = read(kept);
        if (known.isPresent()) {
            return known.get();
        }
        Path log = folder.resolve("class-path-" + release + ".log");
        Path pom = Resources.copy("pom.xml", folder.resolve("class-path.pom.xml"));
        String plugin = Resources.versions().getProperty("dependency-plugin");
        List<String> command = List.of(
                "mvn",
                "-B",
                "-q",
                "-Dstyle.color=never",
                "-f",
                pom.toString(),
                "-Dcassandra.version=" + release,
                "org.apache.maven.plugins:maven-dependency-plugin:" + plugin + ":build-classpath",
                "-Dmdep.outputFile=" + kept);
        run(command, release, log);
        return read(kept)
                .orElseThrow(() ->
                        new IOException("Maven found no class path of Cassandra " + release + " (log: " + log + ")"));
    }

    /**
     * The jars of a distribution that was unpacked by hand.
     *
     * @param home the folder with {@code bin}, {@code conf} and {@code lib}
     * @throws IllegalArgumentException if it is none
     */
    public static ClassPath ofDistribution(Path home) throws IOException {
        Path lib = home.resolve("lib");
        List<Path> jars = List.of();
        if (Files.isDirectory(lib)) {
            try (Stream<Path> files = Files.list(lib)) {
                jars = files.filter(file -> file.toString().endsWith(".jar"))
                        .map(Path::toAbsolutePath)
                        .sorted()
                        .toList();
            }
        }
        ClassPath found = new ClassPath(jars);
        if (found.release().isEmpty()) {
            throw new IllegalArgumentException("--cassandra-home " + home
                    + ": no lib/apache-cassandra-RELEASE.jar (expected: the folder of an unpacked binary distribution of"
                    + " Apache Cassandra 4.1 or 5.0; without the option Maven fetches one)");
        }
        return found;
    }

    /** The release that the jar of Cassandra itself names, if it is among them. */
    public Optional<Release> release() {
        return jars.stream()
                .map(jar -> ITSELF.matcher(String.valueOf(jar.getFileName())))
                .filter(Matcher::matches)
                .map(jar -> new Release(jar.group(1)))
                .findFirst();
    }

    private static void run(List<String> command, Release release, Path log) throws IOException, InterruptedException {
        Process maven;
        try {
            maven = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        } catch (IOException e) {
            throw new IOException(
                    "Cassandra " + release + " is fetched by Maven, which does not start: " + e.getMessage()
                            + " (expected: Maven 3.8 or newer on the PATH)",
                    e);
        }
        boolean hasEnded;
        try {
            hasEnded = maven.waitFor(FETCH_MINUTES, TimeUnit.MINUTES);
        } finally {
            maven.destroyForcibly(); // also for who is interrupted
        }
        if (!hasEnded || maven.exitValue() != 0) {
            String reason = hasEnded ? firstError(log) : "nothing came of it in " + FETCH_MINUTES + " minutes";
            throw new IOException("Cassandra " + release + " could not be fetched: " + reason
                    + " (is that a published release, and does Maven reach a repository? log: " + log + ")");
        }
    }

    private static String firstError(Path log) throws IOException {
        return Files.readAllLines(log).stream()
                .filter(line -> line.startsWith("[ERROR] "))
                .map(line -> line.substring("[ERROR] ".length()))
                .findFirst()
                .orElse("Maven failed");
    }

    /** What an earlier run found, if all of it is still there. */
    private static Optional<ClassPath> read(Path kept) throws IOException {
        if (!Files.exists(kept)) {
            return Optional.empty();
        }
        List<Path> jars = List.of(Files.readString(kept).strip().split(File.pathSeparator, -1)).stream()
                .map(Path::of)
                .toList();
        return jars.stream().allMatch(Files::isRegularFile) ? Optional.of(new ClassPath(jars)) : Optional.empty();
    }

    /** The jar whose file name begins so, if there is one. */
    public Optional<Path> jar(String prefix) {
        return jarsNamed(prefix).stream().findFirst();
    }

    /** The jars whose file names begin so. */
    List<Path> jarsNamed(String prefix) {
        return jars.stream()
                .filter(jar -> String.valueOf(jar.getFileName()).startsWith(prefix))
                .toList();
    }

    /** The same with more jars behind it. */
    ClassPath with(List<Path> more) {
        return new ClassPath(Stream.concat(jars.stream(), more.stream()).toList());
    }

    /** As {@code java -cp} wants it. */
    @Override
    public String toString() {
        return String.join(File.pathSeparator, jars.stream().map(Path::toString).toList());
    }
}
