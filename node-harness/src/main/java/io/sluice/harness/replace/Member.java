package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentClient;
import io.sluice.harness.agent.AgentMessages.Status;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node, as its agent shows it, and the agent. Immutable; the status is of when it was asked. */
public record Member(AgentClient agent, Status status) {
    private static final Logger LOG = LoggerFactory.getLogger(Member.class);

    /** The same as it is now. */
    Member now() throws IOException {
        return new Member(agent, agent.status());
    }

    /** The same as it is now; empty if its agent does not answer. */
    Optional<Member> ifAnswering() {
        try {
            return Optional.of(now());
        } catch (IOException e) {
            LOG.debug("{}: {}", agent, e.getMessage()); // whoever asks says what that means
            return Optional.empty();
        }
    }

    /** The tables of a keyspace. */
    List<TableRef> tables(String keyspace) {
        return status.tables().stream()
                .filter(table -> table.keyspace().equals(keyspace))
                .toList();
    }

    /** As the ring calls the node: {@code host:port}. */
    public String endpoint() {
        return status.endpoint();
    }

    /** Whether an operator means this node: by its address, with or without the port. */
    boolean isNamed(String host) {
        return isNamed(endpoint(), host);
    }

    /** Whether an operator means this endpoint by {@code host}. */
    static boolean isNamed(String endpoint, String host) {
        int port = endpoint.lastIndexOf(':');
        return endpoint.equals(host) || (port > 0 && endpoint.substring(0, port).equals(host));
    }

    @Override
    public String toString() {
        return endpoint();
    }
}
