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
 * What may happen in each state, and where it may lead: one rule for every pair of a state and a kind of event, which
 * is its class. A session asks it before it acts and is held to it afterwards; {@code docs/sessions.md} is printed from
 * it. Immutable once built.
 *
 * @param <S> states
 */
public final class Transitions<S extends Enum<S>> {
    private final Class<S> states;
    private final Set<Class<?>> named;
    private final Optional<Class<?>> other;
    private final Map<S, Map<Class<?>, Rule<S>>> rules;

    /**
     * What happens on one kind of event in one state.
     *
     * @param next where it may lead
     * @param isViolation whether the other end broke the protocol by it
     * @param because what it means
     */
    public record Rule<S>(Set<S> next, boolean isViolation, String because) {
        /**
         * Holds whoever has acted by it to it.
         *
         * @param what the event, and the state before, for the message
         * @param failed where anything may lead
         * @throws IllegalStateException if it has led elsewhere
         */
        public void require(String what, S after, S failed) {
            if (after != failed && !next.contains(after)) {
                throw new IllegalStateException(what + " led to " + after + " (expected: one of " + next + ")");
            }
        }
    }

    private Transitions(Builder<S> built) {
        this.states = built.states;
        this.rules = built.rules;
        this.named = built.named;
        this.other =
                built.kinds.stream().filter(kind -> !built.named.contains(kind)).findFirst();
    }

    /** A table without a rule. */
    public static <S extends Enum<S>> Builder<S> builder(Class<S> states, List<Class<?>> kinds) {
        return new Builder<>(states, kinds);
    }

    /** All kinds of a sealed type of events. */
    public static List<Class<?>> kinds(Class<?> events) {
        return List.of(events.getPermittedSubclasses());
    }

    /** All kinds of a sealed type of events; in place of {@code carrier}, which carries messages, their kinds. */
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
        /** Kinds that a rule names, in the order of the rules. */
        private final Set<Class<?>> named = new LinkedHashSet<>();

        private Builder(Class<S> states, List<Class<?>> kinds) {
            this.states = states;
            this.kinds = kinds;
            this.rules = new EnumMap<>(states);
        }

        /** {@code kind} in {@code state} leads to one of {@code next}. */
        @SafeVarargs
        @SuppressWarnings("varargs") // read only
        public final Builder<S> rule(S state, Class<?> kind, String because, S... next) {
            named.add(kind);
            put(state, kind, new Rule<>(EnumSet.copyOf(Arrays.asList(next)), false, because));
            return this;
        }

        /** Whatever has no rule in {@code state} yet, but for {@code except}, leads to {@code next}. */
        public Builder<S> anything(S state, Class<?> except, String because, S next) {
            for (Class<?> kind : kinds) {
                if (kind != except) {
                    of(state).putIfAbsent(kind, new Rule<>(EnumSet.of(next), false, because));
                }
            }
            return this;
        }

        private Map<Class<?>, Rule<S>> of(S state) {
            return rules.computeIfAbsent(state, any -> new HashMap<>());
        }

        private void put(S state, Class<?> kind, Rule<S> rule) {
            if (of(state).putIfAbsent(kind, rule) != null) {
                throw new IllegalArgumentException("two rules for " + kind.getSimpleName() + " in " + state);
            }
        }

        /** In all states that are not final: {@code kind} leads to {@code next} or changes nothing. */
        public Builder<S> everywhere(Predicate<S> isFinal, Class<?> kind, String because, Set<S> next) {
            for (S state : states.getEnumConstants()) {
                if (!isFinal.test(state) && !of(state).containsKey(kind)) {
                    named.add(kind);
                    Set<S> all = EnumSet.of(state);
                    all.addAll(next);
                    put(state, kind, new Rule<>(all, false, because));
                }
            }
            return this;
        }

        /** What has no rule changes nothing. */
        Transitions<S> others(String because) {
            for (S state : states.getEnumConstants()) {
                for (Class<?> kind : kinds) {
                    of(state).putIfAbsent(kind, new Rule<>(Set.of(state), false, because));
                }
            }
            return new Transitions<>(this);
        }

        /** In final states nothing matters any more; anything else that has no rule leads to {@code failed}. */
        public Transitions<S> otherwise(Predicate<S> isFinal, S failed) {
            for (S state : states.getEnumConstants()) {
                for (Class<?> kind : kinds) {
                    Rule<S> rule = isFinal.test(state)
                            ? new Rule<>(Set.of(state), false, "too late to matter")
                            : new Rule<>(Set.of(failed), true, "a violation of the protocol");
                    of(state).putIfAbsent(kind, rule);
                }
            }
            return new Transitions<>(this);
        }
    }

    /** The rule of a pair. */
    public Rule<S> rule(S state, Class<?> kind) {
        Rule<S> rule = rules.getOrDefault(state, Map.of()).get(kind);
        if (rule == null) {
            throw new AssertionError("no rule for " + kind.getSimpleName() + " in " + state);
        }
        return rule;
    }

    /** A table in Markdown: a row for each event that may come, a column for each state that is not final. */
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
