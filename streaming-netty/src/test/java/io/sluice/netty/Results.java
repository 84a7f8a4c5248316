package io.sluice.netty;

import io.sluice.streaming.progress.PlanResult;
import java.util.function.Consumer;

/** A listener for results of plans alone. */
final class Results {
    private Results() {}

    static StreamListener to(Consumer<PlanResult> consumer) {
        return new StreamListener() {
            @Override
            public void planEnded(PlanResult result) {
                consumer.accept(result);
            }
        };
    }
}
