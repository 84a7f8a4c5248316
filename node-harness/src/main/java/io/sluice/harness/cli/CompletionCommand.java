package io.sluice.harness.cli;

import io.sluice.harness.admin.Refusal;
import io.sluice.harness.config.ConfigException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./sluice completion}. Not thread-safe. */
@Command(
        name = "completion",
        addMethodSubcommands = false,
        description =
                "Completes commands and options of ./sluice by the Tab key: prints what the shell needs, or installs it.",
        footer = {
            "",
            "Examples:",
            "  ./sluice completion bash --install    from the next shell on",
            "  source <(./sluice completion bash)    in this shell alone"
        })
final class CompletionCommand implements Callable<Integer> {
    /** A shell that can be helped. */
    enum Shell {
        BASH,
        ZSH
    }

    @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
    private Shell shell = Shell.BASH;

    @Option(
            names = "--install",
            description =
                    "bash: into bash-completion's folder of this user; zsh: a file there, and a line in ~/.zshrc.")
    private boolean install;

    @Option(
            names = "--to",
            paramLabel = "DIR",
            description = "With --install: a home directory other than that of this user.")
    private @Nullable Path home;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        String script = AutoComplete.bash("sluice", Main.commandLine());
        if (install) {
            try {
                out.println(installed(script));
            } catch (FileSystemException e) {
                throw new ConfigException(
                        "cannot install the completion: " + Refusal.because(e)
                                + " (expected: a home directory to write to;" + " --to names another)",
                        e);
            }
        } else if (home == null) {
            out.print(script);
        } else {
            throw new ConfigException("--to " + home + ": says where to install (expected: with --install)");
        }
        out.flush();
        return 0;
    }

    private String installed(String script) throws IOException {
        Path user = home == null ? Path.of(System.getProperty("user.home")) : home;
        if (!Files.isDirectory(user)) {
            throw new ConfigException("--to " + user + ": no such folder (expected: a home directory)");
        }
        Path data = dataFolder(user);
        if (shell == Shell.BASH) {
            // bash-completion looks here by the name of the command, with and without ./ before it.
            Path file = write(data.resolve("bash-completion/completions/sluice"), script);
            return file + ": completes sluice in shells that start from now on, where the package bash-completion is;"
                    + " in this one: source " + file;
        }
        Path file = write(data.resolve("sluice/completion.zsh"), script);
        Path start = user.resolve(".zshrc");
        String line = "source '" + file + "'";
        if (!Files.exists(start) || !contains(start, line)) {
            Files.writeString(
                    start,
                    System.lineSeparator() + line + System.lineSeparator(),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }
        return file + ": completes sluice in shells that start from now on (" + start + " reads it)";
    }

    /** Byte by byte: what people keep there may be in any encoding. */
    private static boolean contains(Path file, String text) throws IOException {
        String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
        return bytes.contains(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
    }

    private Path dataFolder(Path user) {
        Map<String, String> environment = System.getenv();
        return Optional.ofNullable(home == null ? environment.get("XDG_DATA_HOME") : null)
                .filter(folder -> !folder.isEmpty())
                .map(Path::of)
                .orElse(user.resolve(".local/share"));
    }

    private static Path write(Path file, String script) throws IOException {
        Files.createDirectories(file.getParent());
        return Files.writeString(file, script, StandardCharsets.UTF_8);
    }
}
