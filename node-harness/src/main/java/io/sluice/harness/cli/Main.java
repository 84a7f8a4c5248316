package io.sluice.harness.cli;

import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING;

import io.sluice.harness.report.SluiceVersion;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line: {@code ./sluice <command>}. */
@Command(
        name = "sluice",
        mixinStandardHelpOptions = true,
        version = SluiceVersion.TEXT,
        // As the library would write it, which has to know the commands for that.
        customSynopsis = "sluice [-hV] [COMMAND]",
        description = "Streams SSTables between nodes: zero-copy, verified, all or nothing.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all went well and was verified",
            "1:something failed, or contents differ",
            "2:the command line or a configuration file is wrong",
            "3:refused before anything was moved",
            "4:installed in part, or some SSTables were left out",
            "5:cancelled"
        })
public final class Main {
    private static final Set<String> OF_SLUICE_ITSELF = Set.of("-h", "--help", "-V", "--version");

    private Main() {}

    public static void main(String[] args) {
        String[] words = Commands.canonical(args);
        System.exit(commandLine(words).execute(words));
    }

    /**
     * A part of the help. A class and not a lambda, as are all of ours that the library of the command line calls: the
     * archive of classes leaves out its interfaces where a lambda implements one, and then most of its jars are opened.
     */
    private record Section(Supplier<String> text) implements CommandLine.IHelpSectionRenderer {
        @Override
        public String render(CommandLine.Help help) {
            return text.get();
        }
    }

    /** All commands, ready to be run. */
    public static CommandLine commandLine() {
        return commandLine("all");
    }

    /**
     * What these words need: the command that they name alone, and none for the help, which has a list of its own. To
     * look at all of them takes more CPU than a short command.
     */
    static CommandLine commandLine(String... words) {
        CommandLine sluice = new CommandLine(new Main());
        String name = words.length == 0 ? "" : words[0];
        Optional<Commands.Named> named = Commands.named(name);
        if (named.isPresent()) {
            sluice.addSubcommand(named.get().commandLine(words.length == 1 ? "" : words[1]));
        } else if (words.length > 1 || !OF_SLUICE_ITSELF.contains(name)) {
            Commands.ALL.forEach(all -> sluice.addSubcommand(all.commandLine("")));
        }
        return configured(sluice);
    }

    private static CommandLine configured(CommandLine sluice) {
        sluice.getHelpSectionMap().put(SECTION_KEY_COMMAND_LIST_HEADING, new Section(() -> ""));
        sluice.getHelpSectionMap().put(SECTION_KEY_COMMAND_LIST, new Section(Commands::grouped));
        return Explanations.of(sluice);
    }
}
