package io.sluice.harness.cli;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.sluice.harness.cluster.Endpoints;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import picocli.CommandLine;

/**
 * Makes a virtual machine load what commands and nodes need, while it records the classes for those that start after
 * it: {@code ./sluice} runs this once for each build. Two nodes stream whole SSTables, and slices: a class of a lambda
 * is recorded only where its code has run. Stateless.
 */
final class ClassArchive {
    private static final String CLASS = ".class";
    private static final String OURS = "io/sluice/";

    private ClassArchive() {}

    /**
     * Runs short commands in this process, whose output nobody sees, and loads our own classes.
     *
     * @param arguments the folder of Sluice
     */
    public static void main(String[] arguments) throws IOException {
        Path home = Path.of(arguments[0]);
        PrintStream standard = System.out;
        PrintStream errors = System.err;
        Path temporary = Files.createTempDirectory("sluice-classes");
        int loaded;
        boolean didStream;
        try (PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
            System.setOut(nowhere);
            System.setErr(nowhere);
            LogFile.at(temporary.resolve("node.log"));
            commands(home, temporary).forEach(ClassArchive::run);
            didStream = askNodes(home, temporary, temporary.resolve("data"));
            loaded = loadOurs();
        } finally {
            System.setOut(standard);
            System.setErr(errors);
            MoreFiles.deleteRecursively(temporary, RecursiveDeleteOption.ALLOW_INSECURE);
        }
        standard.println(loaded + " classes of Sluice, and those that they need"
                + (didStream ? "" : "; its nodes did not stream, and load more when they start"));
        System.exit(0); // drivers leave threads
    }

    /** Those that end soon whatever they find: nobody listens at port 1. */
    private static List<List<String>> commands(Path home, Path temporary) throws IOException {
        String nobody = "127.0.0.1:1";
        Path schema = Files.writeString(
                temporary.resolve("schema.cql"), "CREATE TABLE shop.users (id int PRIMARY KEY, name text);");
        Path token = Files.writeString(temporary.resolve("admin.token"), "0".repeat(64));
        String data = temporary.resolve("data").toString();
        List<List<String>> commands = new ArrayList<>(List.of(
                List.of("--help"),
                List.of("--version"),
                List.of("sstable", "generate", "--schema", schema.toString(), "--size", "1MiB", data),
                List.of("sstable", "info", data),
                List.of("sstable", "info", "--json", data),
                List.of("sstable", "verify", data),
                List.of("sstable", "digest", data),
                List.of("status", "--work-dir", temporary.toString()),
                List.of("status", "--host", nobody, "--token-file", token.toString()),
                List.of("load", data, "--hosts", nobody),
                List.of("pull", "--help")));
        commands.add(List.of(
                "plan",
                "--ring",
                home.resolve("conf/rings/example.yaml").toString(),
                "--operation",
                "replace-node",
                "--node",
                "n3",
                "--with",
                "n7",
                "--explain"));
        commands.add(List.of(
                "replace-node",
                "--dry-run",
                "--data",
                data,
                "--work-dir",
                temporary.resolve("work").toString()));
        return commands;
    }

    /**
     * Nodes that answer and stream, because that takes more classes than to find nobody.
     *
     * @return whether they did: an archive without it is good, too
     */
    private static boolean askNodes(Path home, Path temporary, Path data) throws IOException {
        Path work = Files.createDirectory(temporary.resolve("run"));
        try (TrialNode source = TrialNode.start("node1", data, home, work);
                TrialNode receiver = TrialNode.start("node2", work.resolve("node2"), home, work)) {
            if (!source.isUp() || !receiver.isUp()) {
                return false;
            }
            Files.writeString(
                    Endpoints.file(work), "{\"node1\": \"" + source.client().address() + "\"}");
            for (String command : List.of("status", "ring", "netstats")) {
                run(List.of(command, "--work-dir", work.toString()));
            }
            return receiver.replaceAnother(source) && receiver.takeHalfOf(source);
        }
    }

    private static void run(List<String> command) {
        PrintWriter nowhere = new PrintWriter(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        String[] words = Commands.canonical(command.toArray(String[]::new));
        CommandLine line = Main.commandLine(words).setOut(nowhere).setErr(nowhere);
        line.execute(words);
    }

    /** Classes of our jars, without running any of their code; how many. */
    private static int loadOurs() throws IOException {
        int count = 0;
        for (String jar : System.getProperty("java.class.path").split(System.getProperty("path.separator"), -1)) {
            if (Path.of(jar).getFileName().toString().startsWith("sluice-")) {
                count += load(Path.of(jar));
            }
        }
        return count;
    }

    private static int load(Path jar) throws IOException {
        int count = 0;
        try (JarFile file = new JarFile(jar.toFile())) {
            Enumeration<JarEntry> entries = file.entries();
            while (entries.hasMoreElements()) {
                String name = entries.nextElement().getName();
                if (name.startsWith(OURS) && name.endsWith(CLASS) && isLoaded(name)) {
                    count++;
                }
            }
        }
        return count;
    }

    private static boolean isLoaded(String file) {
        String name = file.substring(0, file.length() - CLASS.length()).replace('/', '.');
        try {
            Class.forName(name, false, ClassArchive.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError withoutLibrary) {
            return false; // one for a library that is not there: it is loaded by nobody
        }
    }
}
