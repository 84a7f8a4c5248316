package io.sluice.harness.cli.sstable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/** {@code ./sluice sstable}: the group. */
@Command(
        name = "sstable",
        addMethodSubcommands = false,
        description = "Looks at, checks and makes SSTables.",
        footer = {
            "",
            "Versions: mc, md, me (Cassandra 3.0 and 3.11), na and nb (4.0, 4.1), oa and da (5.0). All of them are listed, dumped,"
                    + " verified, digested, sliced and rewritten; generate and rewrite make them, too. Others, such as ScyllaDB's"
                    + " ms, are left out and named."
        },
        subcommands = {
            InfoCommand.class,
            DumpCommand.class,
            VerifyCommand.class,
            DigestCommand.class,
            RewriteCommand.class,
            SliceCommand.class,
            GenerateCommand.class,
            CommandLine.HelpCommand.class
        })
public final class SSTableCommand {
    /**
     * The group with the command of this name alone, if it has one: to look at all of them takes longer than the
     * command.
     */
    public static CommandSpec only(String name) {
        return switch (name) {
            case "info" -> with(name, InfoCommand.class);
            case "dump" -> with(name, DumpCommand.class);
            case "verify" -> with(name, VerifyCommand.class);
            case "digest" -> with(name, DigestCommand.class);
            default -> CommandSpec.forAnnotatedObject(SSTableCommand.class);
        };
    }

    private static CommandSpec with(String name, Class<?> command) {
        CommandSpec group = CommandSpec.create().name("sstable");
        return group.addSubcommand(name, CommandSpec.forAnnotatedObject(command));
    }
}
