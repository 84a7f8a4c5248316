package io.sluice.harness.cli.sstable;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./sluice sstable}: the group. */
@Command(
        name = "sstable",
        mixinStandardHelpOptions = true,
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
public final class SSTableCommand {}
