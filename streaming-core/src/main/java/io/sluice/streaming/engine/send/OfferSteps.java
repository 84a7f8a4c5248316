package io.sluice.streaming.engine.send;

import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.transfer.Offers;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.function.BiFunction;

/**
 * Prepares the offers of pinned tables, one table after the other, while there is room for their temporary files. If a
 * table cannot be offered, it is refused alone. Not thread-safe: confined to the preparation of one session.
 */
final class OfferSteps {
    private final Preparation.Prepared result;
    private final Offers offers;
    private final Queue<Message.TableRequest> left;
    private final PreparedAhead ahead;
    private final OfferPages pages;
    private final Hooks hooks;
    private boolean isChosen;

    /** Work on one table. */
    private interface TableStep<T> {
        T run() throws IOException;
    }

    /**
     * What the session adds.
     *
     * @param fatal notes errors of the virtual machine
     * @param step runs before each table; an exception ends the preparation
     * @param refusal why a table cannot be offered, for the receiver; an exception ends the preparation
     */
    record Hooks(VirtualMachineErrors fatal, Runnable step, BiFunction<UUID, Throwable, Failure> refusal) {}

    /**
     * Starts without offers.
     *
     * @param result gets refused tables
     * @param requests for the tables; others than the pinned ones are ignored
     * @param pages told of the table whose offers are prepared
     */
    OfferSteps(
            Preparation.Prepared result,
            Offers offers,
            List<Message.TableRequest> requests,
            OfferPages pages,
            Hooks hooks) {
        this.result = result;
        this.offers = offers;
        this.left = new ArrayDeque<>(requests);
        this.pages = pages;
        this.ahead = pages.ahead();
        this.hooks = hooks;
    }

    Preparation.Prepared result() {
        return result;
    }

    /** Goes on; returns whether everything is offered. Otherwise it waits: there is no room now. */
    boolean proceed() {
        long seen = ahead.changes();
        while (!isDone()) {
            pages.flush();
            if (ahead.waits(seen)) {
                return false;
            }
            seen = ahead.changes();
        }
        return true;
    }

    /** Returns false if there is no room. */
    private boolean isDone() {
        while (!left.isEmpty()) {
            hooks.step().run();
            Message.TableRequest request = left.element();
            Pins.Pin pin = result.tables().get(request.tableId());
            if (pin != null && !ahead.isSkipped(request.tableId()) && !isDone(request, pin)) {
                return false;
            }
            left.remove();
            isChosen = false;
        }
        return true;
    }

    private boolean isDone(Message.TableRequest request, Pins.Pin pin) {
        LogKeys.Scope scope = LogKeys.current().withTable(pin.table()).enter();
        try {
            if (!isChosen) {
                isChosen = true;
                pages.begin(request.tableId());
                int offered = offers.offers().size();
                long sections = result.memory().sections();
                if (attempt(request, () -> choose(request, pin)).isEmpty()) {
                    result.memory().takeBack(offered, sections);
                    return true;
                }
            }
            return attempt(request, offers::prepare).orElse(true);
        } finally {
            scope.leave();
        }
    }

    /** Chooses what is offered of a table, and charges its memory; returns the number of offers. */
    private int choose(Message.TableRequest request, Pins.Pin pin) throws IOException {
        int offered = offers.offers().size();
        result.memory().require(offered + pin.sstables().size());
        int chosen = offers.choose(pin.opened(), request.ranges());
        result.memory().require(offered + chosen);
        return chosen;
    }

    /** Returns the result of {@code work}; if it fails, refuses the table and returns nothing. */
    private <T> Optional<T> attempt(Message.TableRequest request, TableStep<T> work) {
        try {
            return Optional.of(work.run());
        } catch (Throwable e) { // any exception: the session waits for an answer
            hooks.fatal().note(e);
            result.refused().put(request.tableId(), hooks.refusal().apply(request.tableId(), e));
            return Optional.empty();
        }
    }
}
