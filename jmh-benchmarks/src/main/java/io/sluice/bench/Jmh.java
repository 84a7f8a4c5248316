package io.sluice.bench;

import io.sluice.harness.config.ConfigException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.Main;

/** Runs the methods of one class in JMH. Stateless. */
final class Jmh {
    private Jmh() {}

    /**
     * Runs them, and ends the process if one fails; by itself JMH would end with 0.
     *
     * @param parameters that the class has: JMH takes no notice of others, and runs all values of those
     * @param options of JMH, as typed
     * @throws ConfigException if {@code options} set another parameter
     */
    static void run(Class<?> benchmark, List<String> parameters, List<String> options) throws IOException {
        for (int i = 1; i < options.size(); i++) {
            String name = options.get(i).split("=", 2)[0];
            if (options.get(i - 1).equals("-p") && !parameters.contains(name)) {
                throw new ConfigException("no parameter '" + name + "' (expected: "
                        + (parameters.isEmpty() ? "no -p" : String.join(", ", parameters)) + ")");
            }
        }
        List<String> all = new ArrayList<>(List.of(benchmark.getName(), "-foe", "true"));
        all.addAll(options);
        Main.main(all.toArray(String[]::new));
    }
}
