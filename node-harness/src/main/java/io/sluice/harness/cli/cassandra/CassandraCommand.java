package io.sluice.harness.cli.cassandra;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./sluice cassandra}: the group. */
@Command(
        name = "cassandra",
        addMethodSubcommands = false,
        description = {
            "Replaces, adds and rebuilds nodes of Apache Cassandra, and starts real nodes to try things with.",
            "Nodes that it starts run on this machine, for load, pull and follow, too."
        },
        subcommands = {
            UpCommand.class,
            CassandraStatusCommand.class,
            CqlCommand.class,
            LoaderCommand.class,
            CassandraBenchCommand.class,
            BenchPullCommand.class,
            ReplaceNodeCommand.class,
            BootstrapCommand.class,
            RebuildCommand.class,
            PauseJoinCommand.class,
            ResumeJoinCommand.class,
            JoinThroughputCommand.class,
            DownCommand.class,
            CommandLine.HelpCommand.class
        })
public final class CassandraCommand {}
