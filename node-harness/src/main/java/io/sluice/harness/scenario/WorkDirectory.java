package io.sluice.harness.scenario;

import com.google.common.io.MoreFiles;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.scenario.ScenarioException.Kind;
import io.sluice.sstable.encoding.LockedFile;
import io.sluice.sstable.encoding.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The folder of a run: one folder for each node, generated data that later runs use again, the report. A marker
 * distinguishes it from folders that are not ours, in which nothing is ever removed; a lock on it keeps two runs apart.
 * Not thread-safe.
 */
public final class WorkDirectory implements AutoCloseable {
    private static final String MARKER = ".sluice-work";

    private final Path root;
    private final LockedFile marker;

    private WorkDirectory(Path root, LockedFile marker) {
        this.root = root;
        this.marker = marker;
    }

    /**
     * Makes or takes the folder.
     *
     * @throws ScenarioException if it is in use, or holds something else
     */
    public static WorkDirectory open(Path folder) throws IOException, ScenarioException {
        Path root = folder.toAbsolutePath().normalize();
        Path file = made(root).resolve(MARKER);
        if (!Files.exists(file) && !isEmpty(root)) {
            throw new ScenarioException(
                    Kind.WRONG_USAGE,
                    "--work-dir " + root
                            + ": holds files that are not of a Sluice run (expected: a new or empty folder)");
        }
        LockedFile marker = marked(root, file)
                .orElseThrow(() -> new ScenarioException(
                        Kind.WRONG_USAGE,
                        "--work-dir " + root + ": another run uses it (expected: one run at a time)"));
        return new WorkDirectory(root, marker);
    }

    private static Optional<LockedFile> marked(Path root, Path file) throws ScenarioException {
        try {
            OwnerOnly.restrict(root); // also one that was made for us, empty
            return LockedFile.of(file);
        } catch (IOException e) {
            throw new ScenarioException(
                    Kind.WRONG_USAGE,
                    "--work-dir " + root + ": cannot be written: " + Refusal.because(e)
                            + " (expected: a folder that this user may write)",
                    e);
        }
    }

    /**
     * A folder that is there, or is made now.
     *
     * @throws ScenarioException if it cannot be made, or is a file
     */
    public static Path made(Path root) throws ScenarioException {
        if (Files.exists(root) && !Files.isDirectory(root)) {
            throw new ScenarioException(
                    Kind.WRONG_USAGE, "--work-dir " + root + ": is a file (expected: a new or empty folder)");
        }
        try {
            OwnerOnly.createDirectories(root);
            return root;
        } catch (IOException e) {
            throw new ScenarioException(
                    Kind.WRONG_USAGE,
                    "--work-dir " + root + ": cannot be made: " + Refusal.because(e)
                            + " (expected: a new or empty folder)",
                    e);
        }
    }

    /** The folder, absolute. */
    public Path root() {
        return root;
    }

    /** Where a run leaves its report. */
    public Path report() {
        return root.resolve("report.json");
    }

    /** Where a run leaves its report as a page with pictures. */
    public Path page() {
        return root.resolve("report.html");
    }

    /** Where a run writes its own log; those of the nodes lie in their folders. */
    public Path log() {
        return root.resolve("harness.log");
    }

    /** Removes what an earlier run left in a folder of this one. */
    void clear(String folder) throws IOException {
        Path path = root.resolve(folder);
        if (Files.exists(path)) {
            MoreFiles.deleteRecursively(path);
        }
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.findAny().isEmpty();
        }
    }

    /** Lets others use the folder. */
    @Override
    public void close() throws IOException {
        marker.close();
    }
}
