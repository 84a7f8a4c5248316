package io.sluice.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.process.Dispersion;
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
}
