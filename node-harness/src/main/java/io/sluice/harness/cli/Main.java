package io.sluice.harness.cli;

import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING;

import io.sluice.harness.report.SluiceVersion;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The command line: {@code ./sluice <command>}. */
public final class Main {
    private static final Set<String> OF_SLUICE_ITSELF = Set.of("-h", "--help", "-V", "--version");

    private Main() {}

    public static void main(String[] args) {
        String[] words = Commands.canonical(args);
        StandardOutput output = StandardOutput.install();
        PrintWriter out = output.writer();
        System.exit(output.end(commandLine(words).setOut(out).execute(words), out));
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
        CommandLine sluice = new CommandLine(spec());
        String name = words.length == 0 ? "" : words[0];
        Optional<Commands.Named> named = Commands.named(name);
        if (named.isPresent()) {
            sluice.addSubcommand(named.get().commandLine(words.length == 1 ? "" : words[1]));
        } else if (words.length > 1 || !OF_SLUICE_ITSELF.contains(name)) {
            Commands.ALL.forEach(all -> sluice.addSubcommand(all.commandLine("")));
        }
        return configured(sluice);
    }

    /** Without annotations, as others have them: to read these takes a tenth of a short command's CPU. */
    private static CommandSpec spec() {
        CommandSpec spec = CommandSpec.create().name("sluice").version(SluiceVersion.TEXT);
        HelpOptions.addTo(spec);
        spec.usageMessage()
                // As the library would write it, which has to know the commands for that.
                .customSynopsis("sluice [-hV] [COMMAND]")
                .description("Streams SSTables between nodes: zero-copy, verified, all or nothing.")
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(exitCodes());
        return spec;
    }

    private static Map<String, String> exitCodes() {
        Map<String, String> codes = new LinkedHashMap<>();
        codes.put("0", "all went well and was verified");
        codes.put("1", "something failed, or contents differ");
        codes.put("2", "the command line or a configuration file is wrong");
        codes.put("3", "refused before anything was moved");
        codes.put("4", "installed in part, or some SSTables were left out");
        codes.put("5", "cancelled");
        return codes;
    }

    private static CommandLine configured(CommandLine sluice) {
        sluice.getHelpSectionMap().put(SECTION_KEY_COMMAND_LIST_HEADING, new Section(() -> ""));
        sluice.getHelpSectionMap().put(SECTION_KEY_COMMAND_LIST, new Section(Commands::grouped));
        return Explanations.of(sluice);
    }
}
