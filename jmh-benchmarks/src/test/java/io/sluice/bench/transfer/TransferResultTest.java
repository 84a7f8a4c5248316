package io.sluice.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.bench.process.Dispersion;
import io.sluice.harness.json.Json;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TransferResultTest {
    private static Sample sample(double seconds, double senderCpu, double receiverCpu) {
        return new Sample(1L << 30, seconds, senderCpu, receiverCpu, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void throughput_is_compared_with_the_faster_receiver_and_cpu_with_the_cheaper_one() {
        Sample own = sample(1.0, 0.25, 0.5);
        Map<Variant, List<Sample>> samples = new EnumMap<>(Variant.class);
        for (Variant variant : Variant.values()) {
            samples.put(variant, List.of(own));
        }
        samples.put(Variant.C_RW, List.of(sample(0.5, 0.25, 1.0)));
        samples.put(Variant.C_SPLICE, List.of(sample(2.0, 0.125, 0.25)));

        TransferResult result = TransferResult.of(8, 1, 0, samples);

        assertThat(result.ratioToC().map(Dispersion::median)).contains(0.5);
        assertThat(result.cpuRatioToC().orElseThrow().median()).isEqualTo(2);
        assertThat(result.senderCpuRatioToC().orElseThrow().median()).isEqualTo(2);
        assertThat(result.receiverCpuRatioToC().orElseThrow().median()).isEqualTo(2);
    }

    /** A sender that needs 15 ms for a GiB is counted as 10 or 20. */
    @Test
    void cpu_that_the_clock_hardly_counts_makes_no_figure_and_no_ratio() {
        Map<Variant, List<Sample>> samples = new EnumMap<>(Variant.class);
        for (Variant variant : Variant.values()) {
            samples.put(variant, List.of(sample(1.0, 0.015, 0.5)));
        }

        TransferResult result = TransferResult.of(8, 1, 0, samples);

        assertThat(result.senderCpuRatioToC()).isEmpty();
        assertThat(result.cpuRatioToC()).isEmpty();
        assertThat(result.receiverCpuRatioToC()).isPresent();
        JsonNode json = Json.MAPPER.valueToTree(result);
        assertThat(json.at("/cpu_s_per_gib/sender").isNull()).isTrue();
        assertThat(json.at("/cpu_s_per_gib/receiver").asDouble()).isEqualTo(0.5);
        assertThat(json.at("/variants/Sluice, verified/cpu_s_per_gib/sender").isNull())
                .isTrue();
        assertThat(json.at("/variants/C, splice/cpu_s_per_gib/sender").asDouble())
                .as("counted in microseconds")
                .isEqualTo(0.015);
    }
}
