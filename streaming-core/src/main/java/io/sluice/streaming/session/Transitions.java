package io.sluice.streaming.session;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What may happen in each state, and where it may lead: one rule for every pair of a state and a kind of event. A
 * session asks it before it acts and is held to it afterwards; {@code docs/sessions.md} is printed from it. Immutable
 * once built.
 *
 * @param <S> states
 * @param <K> kinds of events
 */
public final class Transitions<S extends Enum<S>, K extends Enum<K>> {
    private final Class<S> states;
    private final Class<K> kinds;
    private final Map<S, Map<K, Rule<S>>> rules;

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

    private Transitions(Class<S> states, Class<K> kinds, Map<S, Map<K, Rule<S>>> rules) {
        this.states = states;
        this.kinds = kinds;
        this.rules = rules;
    }

    /** A table without a rule. */
    public static <S extends Enum<S>, K extends Enum<K>> Builder<S, K> builder(Class<S> states, Class<K> kinds) {
        return new Builder<>(states, kinds);
    }

    /** Collects rules. Not thread-safe. */
    public static final class Builder<S extends Enum<S>, K extends Enum<K>> {
        private final Class<S> states;
        private final Class<K> kinds;
        private final Map<S, Map<K, Rule<S>>> rules;

        private Builder(Class<S> states, Class<K> kinds) {
            this.states = states;
            this.kinds = kinds;
            this.rules = new EnumMap<>(states);
        }

        /** {@code kind} in {@code state} leads to one of {@code next}. */
        @SafeVarargs
        @SuppressWarnings("varargs") // read only
        public final Builder<S, K> rule(S state, K kind, String because, S... next) {
            put(state, kind, new Rule<>(EnumSet.copyOf(Arrays.asList(next)), false, because));
            return this;
        }

        private Map<K, Rule<S>> of(S state) {
            return rules.computeIfAbsent(state, any -> new EnumMap<>(kinds));
        }

        private void put(S state, K kind, Rule<S> rule) {
            if (of(state).putIfAbsent(kind, rule) != null) {
                throw new IllegalArgumentException("two rules for " + kind + " in " + state);
            }
        }

        /** In all states that are not final: {@code kind} leads to {@code next} or changes nothing. */
        public Builder<S, K> everywhere(Predicate<S> isFinal, K kind, String because, Set<S> next) {
            for (S state : states.getEnumConstants()) {
                if (!isFinal.test(state) && !of(state).containsKey(kind)) {
                    Set<S> all = EnumSet.of(state);
                    all.addAll(next);
                    put(state, kind, new Rule<>(all, false, because));
                }
            }
            return this;
        }

        /** What has no rule changes nothing. */
        Transitions<S, K> others(String because) {
            for (S state : states.getEnumConstants()) {
                for (K kind : kinds.getEnumConstants()) {
                    of(state).putIfAbsent(kind, new Rule<>(Set.of(state), false, because));
                }
            }
            return new Transitions<>(states, kinds, rules);
        }

        /** In final states nothing matters any more; anything else that has no rule leads to {@code failed}. */
        public Transitions<S, K> otherwise(Predicate<S> isFinal, S failed) {
            for (S state : states.getEnumConstants()) {
                for (K kind : kinds.getEnumConstants()) {
                    Rule<S> rule = isFinal.test(state)
                            ? new Rule<>(Set.of(state), false, "too late to matter")
                            : new Rule<>(Set.of(failed), true, "a violation of the protocol");
                    of(state).putIfAbsent(kind, rule);
                }
            }
            return new Transitions<>(states, kinds, rules);
        }
    }

    /** The rule of a pair. */
    public Rule<S> rule(S state, K kind) {
        Rule<S> rule = rules.getOrDefault(state, Map.of()).get(kind);
        if (rule == null) {
            throw new AssertionError("no rule for " + kind + " in " + state);
        }
        return rule;
    }

    /** A table in Markdown: a row for each event, a column for each state that is not final. */
    public String toMarkdown(Predicate<S> isFinal) {
        StringBuilder text = new StringBuilder("| event |");
        StringBuilder line = new StringBuilder("| --- |");
        for (S state : states.getEnumConstants()) {
            if (!isFinal.test(state)) {
                text.append(" in ").append(state).append(" |");
                line.append(" --- |");
            }
        }
        text.append('\n').append(line).append('\n');
        for (K kind : kinds.getEnumConstants()) {
            text.append("| ").append(kind).append(" |");
            for (S state : states.getEnumConstants()) {
                if (!isFinal.test(state)) {
                    text.append(' ').append(cell(state, rule(state, kind))).append(" |");
                }
            }
            text.append('\n');
        }
        return text.toString();
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
