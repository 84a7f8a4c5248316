package io.sluice.streaming.session;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A transition table: one rule for every pair of a state and a kind of event, which is its class. A session looks up
 * the rule before it acts, and is checked against it afterwards; {@code docs/sessions.md} is generated from it.
 * Immutable.
 *
 * @param <S> states
 */
public final class Transitions<S extends Enum<S>> {
    private final Class<S> states;
    private final Set<Class<?>> named;
    private final Optional<Class<?>> other;
    private final Map<S, Map<Class<?>, Rule<S>>> rules;
    private final Predicate<S> isFinal;

    /**
     * The rule for one kind of event in one state.
     *
     * @param next the permitted next states
     * @param isViolation whether the event is a protocol violation by the other end
     * @param because the meaning of the event
     */
    public record Rule<S>(Set<S> next, boolean isViolation, String because) {
        /**
         * Checks that a session has followed this rule.
         *
         * @param kind of the event, and {@code before} the state in which it occurred: for the message
         * @param failed the state that is always permitted
         * @throws IllegalStateException if the next state is not permitted
         */
        public void require(Class<?> kind, S before, S after, S failed) {
            if (after != failed && !next.contains(after)) {
                throw new IllegalStateException(kind.getSimpleName() + " in " + before + " led to " + after
                        + " (expected: one of " + next + ")");
            }
        }
    }

    private Transitions(Builder<S> built) {
        this.states = built.states;
        this.rules = built.rules;
        this.isFinal = built.isFinal;
        this.named = built.named;
        this.other =
                built.kinds.stream().filter(kind -> !built.named.contains(kind)).findFirst();
    }

    /** Begins a table without rules; in final states events are ignored. */
    public static <S extends Enum<S>> Builder<S> builder(Class<S> states, List<Class<?>> kinds, Predicate<S> isFinal) {
        return new Builder<>(states, kinds, isFinal);
    }

    /** All kinds of events of a sealed type. */
    public static List<Class<?>> kinds(Class<?> events) {
        return List.of(events.getPermittedSubclasses());
    }

    /**
     * All kinds of events of a sealed type, with the types of messages instead of {@code carrier}, which carries them.
     */
    public static List<Class<?>> kinds(Class<?> events, Class<?> carrier, Class<?> messages) {
        List<Class<?>> kinds = new ArrayList<>(kinds(messages));
        kinds.addAll(kinds(events));
        kinds.remove(carrier);
        return List.copyOf(kinds);
    }

    /** Collects rules. Not thread-safe. */
    public static final class Builder<S extends Enum<S>> {
        private final Class<S> states;
        private final List<Class<?>> kinds;
        private final Map<S, Map<Class<?>, Rule<S>>> rules;
        /** Kinds with a rule, in the order of the rules. */
        private final Set<Class<?>> named = new LinkedHashSet<>();

        private final Predicate<S> isFinal;
        private S state;

        private Builder(Class<S> states, List<Class<?>> kinds, Predicate<S> isFinal) {
            this.states = states;
            this.kinds = kinds;
            this.rules = new EnumMap<>(states);
            this.isFinal = isFinal;
            this.state = states.getEnumConstants()[0];
        }

        /** The following rules are for {@code next}; those before the first call are for the first state. */
        public Builder<S> in(S next) {
            this.state = next;
            return this;
        }

        /** {@code kind} leads to one of {@code next}. */
        @SafeVarargs
        @SuppressWarnings("varargs") // read only
        public final Builder<S> on(Class<?> kind, String because, S... next) {
            put(state, kind, because, EnumSet.copyOf(Arrays.asList(next)));
            return this;
        }

        /** All kinds without a rule in this state, except {@code except}, lead to {@code next}. */
        public Builder<S> anything(Class<?> except, String because, S next) {
            for (Class<?> kind : kinds) {
                if (kind != except) {
                    of(state).putIfAbsent(kind, new Rule<>(EnumSet.of(next), false, because));
                }
            }
            return this;
        }

        private Map<Class<?>, Rule<S>> of(S from) {
            return rules.computeIfAbsent(from, any -> new HashMap<>());
        }

        private void put(S from, Class<?> kind, String because, Set<S> next) {
            named.add(kind);
            if (of(from).putIfAbsent(kind, new Rule<>(next, false, because)) != null) {
                throw new IllegalArgumentException("two rules for " + kind.getSimpleName() + " in " + from);
            }
        }

        /** In all states that are not final: {@code kind} leads to one of {@code next} or changes nothing. */
        @SafeVarargs
        @SuppressWarnings("varargs") // read only
        public final Builder<S> everywhere(Class<?> kind, String because, S... next) {
            for (S from : states.getEnumConstants()) {
                if (!isFinal.test(from) && !of(from).containsKey(kind)) {
                    Set<S> all = EnumSet.of(from);
                    all.addAll(Arrays.asList(next));
                    put(from, kind, because, all);
                }
            }
            return this;
        }

        /** Kinds without a rule change nothing. */
        Transitions<S> others(String because) {
            for (S from : states.getEnumConstants()) {
                for (Class<?> kind : kinds) {
                    of(from).putIfAbsent(kind, new Rule<>(Set.of(from), false, because));
                }
            }
            return new Transitions<>(this);
        }

        /** In final states events are ignored; all other pairs without a rule lead to {@code failed}. */
        public Transitions<S> otherwise(S failed) {
            for (S from : states.getEnumConstants()) {
                for (Class<?> kind : kinds) {
                    Rule<S> rule = isFinal.test(from)
                            ? new Rule<>(Set.of(from), false, "too late")
                            : new Rule<>(Set.of(failed), true, "a protocol violation");
                    of(from).putIfAbsent(kind, rule);
                }
            }
            return new Transitions<>(this);
        }
    }

    /** Whether a state is final. */
    public boolean isFinal(S state) {
        return isFinal.test(state);
    }

    /** The rule of a pair. */
    public Rule<S> rule(S state, Class<?> kind) {
        Rule<S> rule = rules.getOrDefault(state, Map.of()).get(kind);
        if (rule == null) {
            throw new AssertionError("no rule for " + kind.getSimpleName() + " in " + state);
        }
        return rule;
    }

    /** The table in Markdown: a row for each possible event, a column for each state that is not final. */
    public String toMarkdown(Predicate<S> isFinal) {
        List<S> columns = Arrays.stream(states.getEnumConstants())
                .filter(isFinal.negate())
                .toList();
        StringBuilder text = new StringBuilder("| event |");
        columns.forEach(state -> text.append(" in ").append(state).append(" |"));
        text.append("\n| --- |").append(" --- |".repeat(columns.size())).append('\n');
        named.forEach(kind -> text.append(row(kind.getSimpleName(), kind, columns)));
        other.ifPresent(kind -> text.append(row("anything else", kind, columns)));
        return text.toString();
    }

    private String row(String name, Class<?> kind, List<S> columns) {
        return columns.stream()
                .map(state -> cell(state, rule(state, kind)))
                .collect(Collectors.joining(" | ", "| " + name + " | ", " |\n"));
    }

    private String cell(S state, Rule<S> rule) {
        if (rule.isViolation()) {
            return "✗";
        }
        String next = rule.next().equals(Set.of(state))
                ? "stays"
                : "→ "
                        + String.join(
                                " or ", rule.next().stream().map(Enum::name).toList());
        return next + ": " + rule.because();
    }
}
