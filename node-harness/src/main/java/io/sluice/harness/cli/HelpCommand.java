package io.sluice.harness.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./sluice help}. Not thread-safe. */
@Command(
        name = "help",
        addMethodSubcommands = false,
        description = "Says how a command is used, or with --man how all of them are, as a page for man.",
        footer = {
            "",
            "Examples:",
            "  ./sluice help sstable verify",
            "  ./sluice help --man > sluice.1 && man ./sluice.1"
        })
final class HelpCommand implements Callable<Integer> {
    @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "As sstable verify (default: the list of all).")
    private List<String> words = new ArrayList<>();

    @Option(names = "--man", description = "Prints the manual page of all commands, made from the same descriptions.")
    private boolean man;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        CommandLine found = Main.commandLine();
        if (man) {
            out.print(ManPage.of(found.getCommandSpec()));
        } else {
            for (String word : words) {
                CommandLine next = found.getSubcommands().get(word);
                if (next == null) {
                    throw new ParameterException(
                            spec.commandLine(),
                            "no command '" + word + "' (expected: one of those of ./sluice --help)"
                                    + Explanations.didYouMean(word, found));
                }
                found = next;
            }
            found.usage(out);
        }
        out.flush();
        return 0;
    }
}
