package io.sluice.harness.cli.cassandra;

import io.sluice.harness.cassandra.Cql;
import io.sluice.harness.cassandra.LocalCluster;
import io.sluice.harness.cli.TextFile;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.report.TextTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice cassandra cql}. Not thread-safe. */
@Command(
        name = "cql",
        addMethodSubcommands = false,
        description = "Executes CQL, and prints the rows that come back.",
        footer = {"", "Example:", "  ./sluice cassandra cql \"SELECT release_version FROM system.local\""})
final class CqlCommand implements Callable<Integer> {
    @Option(names = "--file", paramLabel = "FILE.cql", description = "Statements, each ended by a semicolon.")
    private @Nullable Path file;

    @Parameters(paramLabel = "STATEMENT", arity = "0..*", description = "After those of the file.")
    private List<String> statements = new ArrayList<>();

    @Mixin
    private Home home = new Home();

    @Override
    public Integer call() throws IOException {
        List<String> all = new ArrayList<>(
                file == null ? List.of() : Cql.statements(TextFile.read("--file", file, "a file with statements")));
        all.addAll(statements);
        if (all.isEmpty()) {
            throw new ConfigException("nothing to execute (expected: a statement, or --file)");
        }
        LocalCluster cluster = home.cluster();
        try (Cql cql = Cql.connect(cluster.options().cql(1))) {
            for (String statement : all) {
                print(cql.execute(statement));
            }
        }
        return 0;
    }

    private static void print(Cql.Answer answer) {
        if (answer.columns().isEmpty()) {
            return;
        }
        TextTable table = new TextTable(answer.columns().toArray(String[]::new));
        answer.rows().forEach(row -> table.row(row.toArray(String[]::new)));
        table.print(System.out);
    }
}
