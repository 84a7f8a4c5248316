package io.sluice.harness.cassandra;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A process that asks one thing of a node over JMX: TLS and timeouts of JMX are those of a process. Stateless. */
final class JmxProbe {
    static final String PASSWORD = "of the stores";

    private JmxProbe() {}

    /**
     * Prints the attribute Quick, or why there is none.
     *
     * @param arguments port, milliseconds to wait for an answer, login or nothing, folder of stores or nothing, name of
     *     a key or nothing
     */
    public static void main(String[] arguments) {
        try {
            JmxEnvironment.boundWaits(Duration.ofMillis(Long.parseLong(arguments[1])));
            Optional<NodeJmx.Login> login = Optional.of(arguments[2])
                    .filter(text -> !text.isEmpty())
                    .map(text -> new NodeJmx.Login("me", text));
            Path stores = Path.of(arguments[3]);
            if (!arguments[3].isEmpty()) {
                Optional<JmxTls.Store> key = Optional.of(arguments[4])
                        .filter(name -> !name.isEmpty())
                        .map(name -> new JmxTls.Store(stores.resolve(name + ".p12"), PASSWORD));
                new JmxTls(new JmxTls.Store(stores.resolve("trust.p12"), PASSWORD), key).useInThisProcess();
            }
            try (NodeJmx jmx = new NodeJmx(
                    new NodeJmx.Target("127.0.0.1", Integer.parseInt(arguments[0]), login, !arguments[3].isEmpty()))) {
                System.out.println("answer: " + jmx.attribute(JmxTlsTest.BEAN, "Quick"));
            }
        } catch (IOException e) {
            System.out.println("error: " + e.getMessage());
        }
        System.exit(0);
    }
}
