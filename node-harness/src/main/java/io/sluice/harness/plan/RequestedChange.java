package io.sluice.harness.plan;

import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.OperationName;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.planner.Planner;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Membership;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.ModeSettings;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
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

    private static final String NODE = "--node";
    private static final String WITH = "--with";
    private static final String STRICT = "--strict";
    private static final String TOKENS = "--tokens";
    private static final String DC = "--dc";
    private static final String SOURCE_DC = "--source-dc";
    private static final String SOURCES = "--sources";
    private static final String EXCLUDE = "--exclude";

    /** Changes that can be requested by name, with the options that each takes. */
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

        /** Those that it takes. */
        private List<String> options() {
            return switch (this) {
                case BOOTSTRAP -> List.of(NODE, STRICT);
                case REPLACE -> List.of(NODE, WITH);
                case REBUILD -> List.of(NODE, DC, SOURCE_DC, SOURCES, EXCLUDE);
                case DECOMMISSION, REMOVENODE -> List.of(NODE);
                case MOVE -> List.of(NODE, TOKENS);
                case BULKLOAD -> List.of();
            };
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
     * @throws ConfigException if a name is missing or unknown, or an option is not one of this change
     */
    public TopologyPlan plan(RingFile file) {
        requireItsOptions();
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

    private void requireItsOptions() {
        for (String option : given()) {
            if (!kind.options().contains(option)) {
                throw new ConfigException(option + ": not of " + kind.called.word() + " (expected: "
                        + (kind.options().isEmpty() ? "none" : String.join(", ", kind.options())) + ")");
            }
        }
        if (node.isPresent() && dc.isPresent()) {
            throw new ConfigException(NODE + ": not beside " + DC + " (expected: one of the two)");
        }
    }

    private List<String> given() {
        Map<String, Boolean> all = new LinkedHashMap<>();
        all.put(NODE, node.isPresent());
        all.put(WITH, with.isPresent());
        all.put(STRICT, isStrict);
        all.put(TOKENS, !tokens.isEmpty());
        all.put(DC, dc.isPresent());
        all.put(SOURCE_DC, !from.dcs().isEmpty());
        all.put(SOURCES, !from.only().isEmpty());
        all.put(EXCLUDE, !from.excluded().isEmpty());
        return all.entrySet().stream()
                .filter(Map.Entry::getValue)
                .map(Map.Entry::getKey)
                .toList();
    }

    private TopologyChange change(RingFile file) {
        return switch (kind) {
            case BOOTSTRAP -> new TopologyChange.Bootstrap(subject(file), isStrict);
            case REPLACE -> replacement(file);
            case REBUILD -> new TopologyChange.Rebuild(targets(file), TokenRanges.FULL, filter(file));
            case DECOMMISSION -> new TopologyChange.Decommission(subject(file));
            case REMOVENODE -> new TopologyChange.RemoveNode(subject(file));
            case MOVE -> move(file);
            case BULKLOAD -> new TopologyChange.BulkLoad(joiningNode("loader", new Address("127.0.0.1", 1)));
        };
    }

    private TopologyChange replacement(RingFile file) {
        Node dead = subject(file);
        Node replacement = with.map(name -> joiningNode(name, file))
                .orElseGet(() -> joiningNode("replacement of " + dead.name(), dead.address())
                        .in(dead.location().dc(), dead.location().rack()));
        return new TopologyChange.Replace(dead, replacement);
    }

    /** One that owns no tokens yet, which the plan would take from it. */
    private static Node joiningNode(String name, RingFile file) {
        Node node = file.node(name);
        if (node.membership() instanceof Membership.Normal) {
            throw new ConfigException(WITH + " " + name
                    + ": is a member (expected: a node of the ring file with 'state: joining', or no " + WITH + ")");
        }
        return node;
    }

    private TopologyChange move(RingFile file) {
        Node mover = subject(file);
        if (tokens.isEmpty()) {
            throw missing(TOKENS, "where it moves to");
        }
        return new TopologyChange.Move(mover, tokens.stream().map(Token::new).toList());
    }

    private ConfigException missing(String option, String expected) {
        return new ConfigException(
                "--operation " + kind.called.word() + ": " + option + " is missing (expected: " + expected + ")");
    }

    private static Node joiningNode(String name, Address address) {
        return new Node(new UUID(0, 0), name, address, List.of());
    }

    private Node subject(RingFile file) {
        return file.node(node.orElseThrow(() -> missing(NODE, "the name of a node")));
    }

    private List<Node> targets(RingFile file) {
        if (dc.isEmpty()) {
            return List.of(subject(file));
        }
        file.requireDc(DC + " " + dc.get(), dc.get());
        return file.members().stream()
                .filter(member -> member.location().dc().equals(dc.get()))
                .toList();
    }

    private TopologyChange.SourceFilter filter(RingFile file) {
        from.dcs().forEach(source -> file.requireDc(SOURCE_DC + " " + source, source));
        return new TopologyChange.SourceFilter(
                new HashSet<>(from.dcs()), ids(from.only(), file), ids(from.excluded(), file));
    }

    private static Set<UUID> ids(List<String> names, RingFile file) {
        return names.stream().map(name -> file.node(name).id()).collect(Collectors.toSet());
    }
}
