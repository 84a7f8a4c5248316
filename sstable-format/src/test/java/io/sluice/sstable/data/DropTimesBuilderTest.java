package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.metadata.DropTimes;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DropTimesBuilderTest {
    private static final int MINUTE = 60;
    private static final int MOST = 100;

    /** Looks at all for each two that it merges. */
    private static List<DropTimes.Bin> oneAfterTheOther(NavigableMap<Long, Long> counts) {
        while (counts.size() > MOST) {
            long left = counts.firstKey();
            for (long start : counts.headMap(counts.lastKey()).keySet()) {
                left = counts.higherKey(start) - start < counts.higherKey(left) - left ? start : left;
            }
            long right = counts.higherKey(left);
            long ofLeft = Objects.requireNonNull(counts.remove(left));
            long ofRight = Objects.requireNonNull(counts.remove(right));
            counts.put(left + (right - left) * ofRight / (ofLeft + ofRight), ofLeft + ofRight);
        }
        return counts.entrySet().stream()
                .map(bin -> new DropTimes.Bin(bin.getKey(), bin.getValue()))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 99, 100, 101, 102, 500, 2000})
    void merges_the_two_nearest_until_a_hundred_are_left(int times) {
        SplittableRandom random = new SplittableRandom(times);
        DropTimesBuilder builder = new DropTimesBuilder(Version.NB);
        NavigableMap<Long, Long> counts = new TreeMap<>();
        for (int i = 0; i < times; i++) {
            long time = 1_600_000_000L / MINUTE * MINUTE + random.nextInt(10 * times) * (long) MINUTE;
            int number = 1 + random.nextInt(3);
            for (int n = 0; n < number; n++) {
                builder.add(time);
            }
            counts.merge(time, (long) number, Long::sum);
        }

        List<DropTimes.Bin> expected = oneAfterTheOther(counts);
        assertThat(builder.build()).isEqualTo(new DropTimes(expected.size(), expected));
    }

    /** As in an SSTable of expiring data; by looking at all for each two it took minutes. */
    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS)
    void many_times_take_no_longer_than_their_number() {
        DropTimesBuilder builder = new DropTimesBuilder(Version.NB);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1_000_000; i++) {
            builder.add(random.nextInt(1_000_000_000));
        }

        assertThat(builder.build().bins()).hasSize(MOST);
    }
}
