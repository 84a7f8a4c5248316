package io.sluice.harness.replace;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Waits for a node that an operator has named. Immutable.
 *
 * @param what is waited for, in words
 * @param expected of its node, for the error if it does not come
 */
record TargetWait(JoinOrder order, Members members, JoinProgress progress, String what, String expected) {
    private static final long POLL_MILLIS = 200;

    /**
     * Waits at most as long as the order says.
     *
     * @param missing what is still to come; empty if it is ready
     * @param never why it will not be; empty if it may
     * @param meanwhile is notified of it each time that it is asked and not ready
     * @throws RefusedException if it never will
     */
    Member await(
            Function<Member, Optional<String>> missing,
            Function<Member, Optional<String>> never,
            Receiving.Meanwhile meanwhile)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + order.timeout().toNanos();
        String last = "";
        Optional<Member> target = Optional.empty();
        while (true) {
            target = target.flatMap(Member::ifAnswering)
                    .filter(member -> member.isNamed(order.target()))
                    .or(() -> members.named(order.target()));
            Optional<String> refusal = target.flatMap(never);
            if (refusal.isPresent()) {
                throw new RefusedException(List.of(refusal.get()));
            }
            Optional<String> state = target.isPresent() ? missing.apply(target.get()) : Optional.of(silence());
            if (state.isEmpty()) {
                return target.orElseThrow();
            }
            if (target.isPresent()) {
                meanwhile.look(target.get());
            }
            if (!state.get().equals(last)) {
                progress.waitsFor(what + ": " + state.get());
                progress.say("waiting: " + state.get());
                last = state.get();
            }
            if (System.nanoTime() > deadline) {
                throw new IOException(state.get() + " (expected: " + expected + "; waited "
                        + order.timeout().toSeconds() + " s)");
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    private String silence() {
        return "no agent of " + order.target() + " answers, or its node does not run yet"
                + members.problems().stream().map(problem -> "; " + problem).collect(Collectors.joining());
    }
}
