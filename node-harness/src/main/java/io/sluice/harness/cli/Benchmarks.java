package io.sluice.harness.cli;

import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.config.ConfigException;
import io.sluice.tools.JavaCommand;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * The programs of a jar that measure, found on the class path by {@link ServiceLoader}: the command line starts them,
 * each in a process of its own, and knows none of them by its class.
 */
public interface Benchmarks {
    /** {@code ./sluice bench}: each end of a transfer. A program of JMH, whose options it takes. */
    Program ends();

    /** {@code ./sluice compare}: all ways to move a part of a table. */
    Program compare();

    /** {@code ./sluice compare --replace}: a dead node is replaced by Cassandra, and by Sluice. */
    Program compareReplacements();

    /** {@code ./sluice bench NAME}, in the order in which help lists them. */
    List<Subcommand> subcommands();

    /**
     * A subcommand of {@code ./sluice bench}.
     *
     * @param name as it is typed
     * @param description one sentence, for help
     */
    record Subcommand(String name, String description, Program program) {}

    /**
     * A program.
     *
     * @param main its main class
     * @param arguments those that come before the user's
     */
    record Program(Class<?> main, List<String> arguments) {
        public Program {
            arguments = List.copyOf(arguments);
        }

        /** A program without arguments of its own. */
        public static Program of(Class<?> main) {
            return new Program(main, List.of());
        }

        /** Its process, not yet started, in a virtual machine with defaults and the class path of this one. */
        public ProcessBuilder process(List<String> options) {
            return JavaCommand.process(
                    Stream.of("sluice.home", "sluice.terminal", "sluice.terminal.err", NodeProcess.JAVA_OPTIONS)
                            .filter(key -> System.getProperty(key) != null)
                            .map(key -> "-D" + key + "=" + System.getProperty(key))
                            .toList(),
                    main,
                    Stream.concat(arguments.stream(), options.stream()).toArray());
        }

        /**
         * Runs it to its end, on this terminal. Whoever ends this process meanwhile ends it, too, and this process
         * waits until it has cleaned up.
         *
         * @return its exit code
         */
        public int run(List<String> options) throws IOException, InterruptedException {
            try (CommonEnd common = CommonEnd.with(process(options).inheritIO().start())) {
                return common.process().waitFor();
            }
        }
    }

    /** Those on the class path; nothing if no jar has any. */
    static Optional<Benchmarks> find() {
        return ServiceLoader.load(Benchmarks.class).findFirst();
    }

    /**
     * Those on the class path.
     *
     * @throws ConfigException if no jar has any
     */
    static Benchmarks get() {
        return find().orElseThrow(() -> new ConfigException("no benchmarks on the class path (expected: the jar"
                + " jmh-benchmarks and those that it needs; ./sluice bench and ./sluice compare put them there)"));
    }
}
