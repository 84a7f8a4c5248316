package io.sluice.harness.cli.cassandra;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./sluice cassandra}: the group. */
@Command(
        name = "cassandra",
        mixinStandardHelpOptions = true,
        description =
                "Starts and stops real Apache Cassandra nodes on this machine, to try load, pull and follow with.",
        subcommands = {
            UpCommand.class,
            CassandraStatusCommand.class,
            CqlCommand.class,
            LoaderCommand.class,
            CassandraBenchCommand.class,
            BenchPullCommand.class,
            DownCommand.class,
            CommandLine.HelpCommand.class
        })
public final class CassandraCommand {}
