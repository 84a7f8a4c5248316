package io.sluice.harness.cluster;

import io.sluice.sstable.encoding.OwnerOnly;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Node processes that a killed run left in its folder. A node stops when its harness dies, but one that was frozen at
 * that moment does not notice. Each node's folder records its process id and start time, as ids are reused. Stateless.
 */
public final class OrphanedProcesses {
    private static final Logger LOG = LoggerFactory.getLogger(OrphanedProcesses.class);
    private static final String FILE = "process";
    private static final long WAIT_SECONDS = 10;

    private OrphanedProcesses() {}

    /** Records which process runs in this folder. */
    static void note(NodeHome home, ProcessHandle process) throws IOException {
        OwnerOnly.restrict(home.root().resolve(FILE));
        Files.write(home.root().resolve(FILE), List.of(Long.toString(process.pid()), began(process)));
    }

    /**
     * Kills processes that still run in a folder of {@code workDirectory}. The caller must own the folder, and has not
     * begun its run.
     *
     * @throws IOException if a process does not die
     */
    public static void end(Path workDirectory) throws IOException, InterruptedException {
        try (DirectoryStream<Path> notes = Files.newDirectoryStream(workDirectory)) {
            for (Path home : notes) {
                Path note = home.resolve(FILE);
                if (Files.isRegularFile(note)) {
                    end(note, Files.readAllLines(note));
                    Files.delete(note);
                }
            }
        }
    }

    private static void end(Path note, List<String> lines) throws IOException, InterruptedException {
        Optional<ProcessHandle> process = process(lines);
        if (process.isEmpty()) {
            return;
        }
        LOG.info(
                "{}: process {} was orphaned by a run that was killed",
                note,
                process.get().pid());
        process.get().destroyForcibly();
        try {
            process.get().onExit().get(WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(
                    "process " + process.get().pid() + " of an earlier run in " + note.getParent()
                            + " did not end after SIGKILL (kill it, or use another folder)",
                    e);
        }
    }

    private static Optional<ProcessHandle> process(List<String> lines) {
        try {
            return lines.size() != 2
                    ? Optional.empty()
                    : ProcessHandle.of(Long.parseLong(lines.get(0)))
                            .filter(found -> began(found).equals(lines.get(1)));
        } catch (NumberFormatException notOurs) {
            return Optional.empty(); // incomplete record: the process was just being started, and ends with its parent
        }
    }

    private static String began(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toString).orElse("?");
    }
}
