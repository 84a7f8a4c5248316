package io.sluice.harness.agent;

import io.sluice.harness.cassandra.NodeJmx;
import io.sluice.streaming.ring.Address;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * Settings of an agent. Immutable.
 *
 * @param id of the agent, which its certificate names; if empty, its own of the first start
 * @param yaml the node's cassandra.yaml
 * @param jmx the node's JMX address
 * @param streaming address for peers
 * @param admin address of the admin endpoint, on this machine
 * @param tokenFile token of the admin endpoint; created if missing
 * @param coordinatorTimeout how long to maintain a hold without requests of a coordinator
 * @param digestThreads how many threads compute digests beside the node, at least 1
 * @param isYielding whether streaming slows down while the node is overloaded
 */
public record AgentSettings(
        Optional<UUID> id,
        CassandraYaml yaml,
        NodeJmx.Target jmx,
        Address streaming,
        Address admin,
        Path tokenFile,
        Duration coordinatorTimeout,
        int digestThreads,
        boolean isYielding) {}
