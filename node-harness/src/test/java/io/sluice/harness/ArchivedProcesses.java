package io.sluice.harness;

import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Lets the processes that tests start have an archive of classes, as those of {@code ./sluice} have: otherwise a third
 * of the CPU of a scenario goes into loading them. Java archives classes of jars alone, so folders are packed first.
 * Does nothing without the property {@value #ARCHIVE}, the archive's path, which the profile full sets; once for all
 * processes of a build that run tests.
 */
public final class ArchivedProcesses implements LauncherSessionListener {
    private static final String ARCHIVE = "test.archive";
    private static final String CLASS_PATH = "java.class.path";
    /** What the archive was made of, so that one of older classes is made again. */
    private static final String CONTENTS = "contents";

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Path archive = Path.of(System.getProperty(ARCHIVE, ""));
        List<Path> classPath = Stream.of(System.getProperty(CLASS_PATH).split(File.pathSeparator, -1))
                .map(Path::of)
                .toList();
        if (archive.toString().isEmpty() || classPath.stream().noneMatch(Files::isDirectory)) {
            return;
        }
        try {
            System.setProperty(CLASS_PATH, archived(classPath, archive));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The class path of jars that the archive is for. */
    private static String archived(List<Path> classPath, Path archive) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(archive.getParent());
        List<Path> jars = new ArrayList<>();
        for (Path path : classPath) {
            jars.add(Files.isDirectory(path) ? folder.resolve(name(path, jars.size())) : path);
        }
        String joined = jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        Path contents = folder.resolve(CONTENTS);
        try (FileChannel lock =
                        FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock held = lock.lock()) {
            String now = contents(classPath);
            if (!held.isValid()
                    || (Files.exists(contents) && Files.readString(contents).equals(now))) {
                return joined;
            }
            for (int i = 0; i < jars.size(); i++) {
                if (Files.isDirectory(classPath.get(i))) {
                    pack(classPath.get(i), jars.get(i));
                }
            }
            make(joined, archive);
            Files.writeString(contents, now);
        }
        return joined;
    }

    /** Names of jars whose classes are archived whether a command needs them or not begin as those of Sluice do. */
    private static String name(Path folder, int number) {
        return (folder.endsWith("test-classes") ? "tests-" : "sluice-") + number + ".jar";
    }

    private static String contents(List<Path> classPath) throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path path : classPath) {
            for (Path file : files(path)) {
                all.append(file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file) + "\n");
            }
        }
        return all.toString();
    }

    private static List<Path> files(Path path) throws IOException {
        try (Stream<Path> all = Files.walk(path)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static void pack(Path folder, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file)) {
            for (Path each : files(folder)) {
                out.putNextEntry(new JarEntry(folder.relativize(each).toString()));
                Files.copy(each, out);
                out.closeEntry();
            }
        }
    }

    private static void run(List<String> options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(JavaCommand.executable()));
        command.addAll(JavaCommand.ofLibraries());
        command.addAll(options);
        StartedProcess.run(command);
    }

    /** In the two steps of {@code ./sluice}. */
    private static void make(String classPath, Path archive) throws IOException, InterruptedException {
        Files.deleteIfExists(archive);
        Path list = archive.resolveSibling("list");
        run(List.of(
                "-Xlog:disable",
                "-XX:TieredStopAtLevel=1",
                "-XX:DumpLoadedClassList=" + list,
                "-cp",
                classPath,
                "io.sluice.harness.cli.ClassArchive",
                ".."));
        run(List.of(
                "-Xlog:disable",
                "-XX:+UseG1GC",
                "-Xshare:dump",
                "-XX:SharedClassListFile=" + list,
                "-XX:SharedArchiveFile=" + archive,
                "-cp",
                classPath));
    }
}
