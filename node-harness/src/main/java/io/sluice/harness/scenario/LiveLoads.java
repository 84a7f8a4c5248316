package io.sluice.harness.scenario;

import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All tables that clients write to during a run; there may be none. Not thread-safe: confined to the run. */
final class LiveLoads implements AutoCloseable {
    private final List<LiveLoad> loads = new ArrayList<>();

    /** One more; closed with this. */
    LiveLoad add(LiveLoad load) {
        loads.add(load);
        return load;
    }

    /** Nobody writes to it any more; is closed. */
    void remove(LiveLoad load) {
        loads.remove(load);
        load.close();
    }

    List<LiveLoad> all() {
        return List.copyOf(loads);
    }

    /** What is done to one of them. */
    interface Step {
        void on(LiveLoad load) throws IOException, InterruptedException;
    }

    /** The same to each. */
    void each(Step step) throws IOException, InterruptedException {
        for (LiveLoad load : loads) {
            step.on(load);
        }
    }

    /** What is asked of one of them. */
    interface LoadQuery<T> {
        T of(LiveLoad load) throws IOException, InterruptedException;
    }

    /** The answers of all. */
    <T> List<T> ask(LoadQuery<T> question) throws IOException, InterruptedException {
        List<T> answers = new ArrayList<>();
        for (LiveLoad load : loads) {
            answers.add(question.of(load));
        }
        return answers;
    }

    /** The tables, on the ring as it is. */
    Map<TableRef, Ring> tables() {
        Map<TableRef, Ring> tables = new LinkedHashMap<>();
        loads.forEach(load -> tables.put(load.table(), load.ring()));
        return tables;
    }

    @Override
    public void close() {
        loads.forEach(LiveLoad::close);
    }
}
