package io.sluice.harness.plan;

import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.OperationName;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.planner.Planner;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.ModeSettings;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A topology change to plan, with nodes given by name. Immutable.
 *
 * @param node that changes
 * @param with its replacement
 * @param tokens that it moves to
 * @param dc whose nodes are all rebuilt
 */
public record RequestedChange(
        Kind kind,
        Optional<String> node,
        Optional<String> with,
        boolean isStrict,
        List<Long> tokens,
        Optional<String> dc,
        From from) {

    /** Changes that can be requested by name. */
    public enum Kind {
        BOOTSTRAP(OperationName.BOOTSTRAP),
        REPLACE(OperationName.REPLACE),
        REBUILD(OperationName.REBUILD),
        DECOMMISSION(OperationName.DECOMMISSION),
        REMOVENODE(OperationName.REMOVENODE),
        MOVE(OperationName.MOVE),
        BULKLOAD(OperationName.LOAD);

        private final OperationName called;

        Kind(OperationName called) {
            this.called = called;
        }

        /**
         * The change that is meant.
         *
         * @param text its name, or one that it had
         * @throws ConfigException if there is none, with all names
         */
        public static Kind named(String text) {
            Optional<OperationName> meant = OperationName.meantBy(text);
            return Arrays.stream(values())
                    .filter(kind -> meant.filter(kind.called::equals).isPresent())
                    .findFirst()
                    .orElseThrow(() -> new ConfigException("--operation: '" + text + "' (expected: one of "
                            + Arrays.stream(values())
                                    .map(kind -> kind.called.word())
                                    .collect(Collectors.joining(", "))
                            + ")"));
        }
    }

    /** Allowed sources; empty lists do not restrict. */
    public record From(List<String> dcs, List<String> only, List<String> excluded) {}

    /**
     * Plans the change on the ring of {@code file}.
     *
     * @throws ConfigException if a name is missing or unknown
     */
    public TopologyPlan plan(RingFile file) {
        try {
            return Planner.plan(change(file), file.rings(), file.sizes(), file.options());
        } catch (IllegalArgumentException e) {
            throw new ConfigException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * The modes in which the SSTables of {@code plan}'s sources would travel: those of {@code held} SSTables, and for
     * other nodes those of modelled SSTables.
     *
     * @throws IOException if files of a node cannot be read
     */
    public static List<ModeForecast.ForecastTransfer> modes(
            TopologyPlan plan, RingFile file, StoredSSTables held, ModeSettings settings) throws IOException {
        Map<TableRef, ModeForecast.Layout> layouts = file.layouts();
        return ModeForecast.of(
                plan, file.rings(), file.sizes(), table -> Objects.requireNonNull(layouts.get(table)), held, settings);
    }

    private TopologyChange change(RingFile file) {
        return switch (kind) {
            case BOOTSTRAP -> new TopologyChange.Bootstrap(subject(file), isStrict);
            case REPLACE -> replacement(file);
            case REBUILD -> new TopologyChange.Rebuild(targets(file), TokenRanges.FULL, filter(file));
            case DECOMMISSION -> new TopologyChange.Decommission(subject(file));
            case REMOVENODE -> new TopologyChange.RemoveNode(subject(file));
            case MOVE ->
                new TopologyChange.Move(
                        subject(file), tokens.stream().map(Token::new).toList());
            case BULKLOAD -> new TopologyChange.BulkLoad(joiningNode("loader", new Address("127.0.0.1", 1)));
        };
    }

    private TopologyChange replacement(RingFile file) {
        Node dead = subject(file);
        Node replacement = with.map(file::node)
                .orElseGet(() -> joiningNode("replacement of " + dead.name(), dead.address())
                        .in(dead.location().dc(), dead.location().rack()));
        return new TopologyChange.Replace(dead, replacement);
    }

    private static Node joiningNode(String name, Address address) {
        return new Node(new UUID(0, 0), name, address, List.of());
    }

    private Node subject(RingFile file) {
        return file.node(node.orElseThrow(() -> new ConfigException(
                "--operation " + kind.called.word() + ": --node is missing (expected: the name of a node)")));
    }

    private List<Node> targets(RingFile file) {
        if (dc.isEmpty()) {
            return List.of(subject(file));
        }
        List<Node> targets = file.members().stream()
                .filter(member -> member.location().dc().equals(dc.get()))
                .toList();
        if (targets.isEmpty()) {
            throw new ConfigException("--dc " + dc.get() + ": has no nodes (expected: a dc of the ring file)");
        }
        return targets;
    }

    private TopologyChange.SourceFilter filter(RingFile file) {
        return new TopologyChange.SourceFilter(
                new HashSet<>(from.dcs()), ids(from.only(), file), ids(from.excluded(), file));
    }

    private static Set<UUID> ids(List<String> names, RingFile file) {
        return names.stream().map(name -> file.node(name).id()).collect(Collectors.toSet());
    }
}
