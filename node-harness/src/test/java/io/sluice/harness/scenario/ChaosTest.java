package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.config.Fault;
import io.sluice.harness.config.ScenarioFile.Operation;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ChaosTest {
    private static List<Fault> faults(long seed, Operation operation, boolean canFillDisks) {
        return Chaos.of(seed, operation, canFillDisks, false).faults();
    }

    @Test
    void the_same_seed_gives_the_same_faults() {
        assertThat(faults(17, Operation.REPLACE, true)).isEqualTo(faults(17, Operation.REPLACE, true));
    }

    @Test
    void every_kind_comes_in_some_seed() {
        Set<Fault.Kind> kinds = EnumSet.noneOf(Fault.Kind.class);

        LongStream.range(0, 100)
                .forEach(seed -> Chaos.of(seed, Operation.REPLACE, true, true)
                        .faults()
                        .forEach(fault -> kinds.add(fault.fault())));

        assertThat(kinds).containsExactlyInAnyOrder(Fault.Kind.values());
    }

    @Test
    void no_disk_is_filled_where_none_can_be_mounted() {
        assertThat(LongStream.range(0, 100).boxed().flatMap(seed -> faults(seed, Operation.REPLACE, false).stream()))
                .noneMatch(fault -> fault.fault() == Fault.Kind.DISK_FULL);
        assertThat(LongStream.range(0, 100)
                        .boxed()
                        .flatMap(seed -> faults(seed, Operation.DECOMMISSION, true).stream()))
                .noneMatch(fault -> fault.fault() == Fault.Kind.DISK_FULL);
    }

    @Test
    void no_disk_is_lost_where_there_is_only_one() {
        assertThat(LongStream.range(0, 100).boxed().flatMap(seed -> faults(seed, Operation.REPLACE, true).stream()))
                .noneMatch(fault -> fault.fault() == Fault.Kind.DISK_LOST);
    }
}
