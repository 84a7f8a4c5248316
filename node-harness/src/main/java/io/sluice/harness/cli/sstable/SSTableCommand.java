package io.sluice.harness.cli.sstable;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./sluice sstable}: the group. */
@Command(
        name = "sstable",
        mixinStandardHelpOptions = true,
        description = "Looks at, checks and makes SSTables.",
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
public final class SSTableCommand {}
