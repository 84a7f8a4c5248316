package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.key.Murmur3;
import io.sluice.sstable.metadata.BloomFilter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyHashesTest {
    private static final double CHANCE = 0.01;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 512, 513, 65_536, 65_537, 200_000})
    void make_the_filter_of_all_keys_whose_number_was_not_known(int keys) {
        KeyHashes hashes = new KeyHashes();
        BloomFilter expected = BloomFilter.sized(keys, CHANCE);
        for (long i = 0; i < keys; i++) {
            Murmur3 hash = new Murmur3(i * 0x9e3779b97f4a7c15L, i * 0xc2b2ae3d27d4eb4fL);
            hashes.add(hash);
            expected.add(hash);
        }

        assertThat(hashes.toFilter(CHANCE)).isEqualTo(expected);
    }
}
