package io.sluice.harness.cli.cassandra;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./sluice cassandra}: the group. */
@Command(
        name = "cassandra",
        addMethodSubcommands = false,
        description = {
            "Replaces a dead node of a cluster of Apache Cassandra, lets another one join, rebuilds one, and starts and stops real nodes",
            "on this machine, to try that, load, pull and follow with."
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
