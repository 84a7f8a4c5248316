package io.sluice.sstable.component;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DescriptorTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "nb-1-big-Data.db",
                "oa-3h5o_1m51_4c1ai2nav0qxq5190b-big-Index.db",
                "da-3h5o_1mbl_48tjk2en18yt1zdjix-bti-Partitions.db"
            })
    void spells_a_name_as_it_was_read(String name) {
        Descriptor.Named named = Descriptor.parse(name).orElseThrow();

        assertThat(named.descriptor().fileName(named.component())).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Data.db",
                "nb-1-big-",
                "nb-1-bti-Data.db",
                "zz-1-big-Data.db",
                "nb-12345678901-big-Data.db",
                "nb-9999999999-big-Data.db",
                "nb-1-big-Data.db.tmp",
                "nb-../x-big-Data.db",
                "oa-3h5o_zzzz_4c1ai2nav0qxq5190b-big-Data.db",
                "oa-3h5o_1m51_4c1aizzzzzzzzzzzzz-big-Data.db",
                "nb_txn_stream_1.log"
            })
    void knows_nothing_by_another_name(String name) {
        assertThat(Descriptor.parse(name)).isEmpty();
    }

    @Test
    void orders_sequence_ids_before_time_ordered_ones() {
        Stream<SSTableId> ids = Stream.of("3h5o_1m51_4c1ai2nav0qxq5190b", "10", "3h5o_1m5a_46oe22nav0qxq5190b", "9")
                .map(text -> SSTableId.parse(text).orElseThrow());

        assertThat(ids.sorted().map(SSTableId::toString))
                .containsExactly("9", "10", "3h5o_1m51_4c1ai2nav0qxq5190b", "3h5o_1m5a_46oe22nav0qxq5190b");
    }
}
