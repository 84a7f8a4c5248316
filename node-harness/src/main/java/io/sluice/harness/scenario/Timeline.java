package io.sluice.harness.scenario;

import io.sluice.harness.report.RunReport.Sample;
import java.util.ArrayList;
import java.util.List;

/** Samples of a run, as many as a picture can show: when there are too many, every other goes. Not thread-safe. */
final class Timeline {
    static final int MAX_SAMPLES = 2000;

    private final List<Sample> samples = new ArrayList<>();
    private double leastGapSeconds;

    /** Takes a sample, unless it comes sooner after the last than is worth keeping. */
    void add(Sample sample) {
        double last = samples.isEmpty() ? -1 : samples.get(samples.size() - 1).seconds();
        if (sample.seconds() == last) { // streaming has not begun: only the latest of these is its beginning
            samples.set(samples.size() - 1, sample);
            return;
        }
        if (sample.seconds() < last || sample.seconds() - last < leastGapSeconds) {
            return;
        }
        samples.add(sample);
        if (samples.size() > MAX_SAMPLES) {
            for (int i = samples.size() / 2; i > 0; i--) {
                samples.remove(2 * i - 1);
            }
            leastGapSeconds = sample.seconds() / samples.size();
        }
    }

    List<Sample> samples() {
        return List.copyOf(samples);
    }
}
