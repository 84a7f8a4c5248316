package io.sluice.netty.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.streaming.memory.MemoryBudget;
import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DeclaredOptionsTest {
    @Test
    void every_constant_is_among_all() throws IllegalAccessException {
        Set<Object> constants = new HashSet<>(DeclaredOptions.LIMITS.values());
        for (Field field : DeclaredOptions.class.getFields()) {
            if (field.getType() == DeclaredOption.class) {
                constants.add(field.get(null));
            }
        }

        assertThat(new HashSet<Object>(DeclaredOptions.ALL)).isEqualTo(constants);
        assertThat(DeclaredOptions.ALL).extracting(DeclaredOption::key).doesNotHaveDuplicates();
    }

    @Test
    void every_default_is_allowed_and_written_as_it_would_be_written_again() {
        Map<String, String> written = new OptionValues(Map.of()).texts();

        assertThat(DeclaredOptions.ALL)
                .allSatisfy(option -> assertThat(written.get(option.key())).isEqualTo(option.fallback()));
    }

    @Test
    void every_option_says_in_sentences_what_it_is_for() {
        assertThat(DeclaredOptions.ALL)
                .allSatisfy(option -> assertThat(option.help())
                        .matches("[A-Z].*\\.")
                        .doesNotContain("|", "`", "\n")
                        .hasSizeGreaterThan(20));
        assertThat(DeclaredOptions.ALL)
                .allSatisfy(option -> assertThat(option.key()).matches("[a-z]+(_[a-z]+)*"));
    }

    @Test
    void an_unknown_key_is_refused_with_the_nearest() {
        assertThatThrownBy(() -> new OptionValues(Map.of("streaming_memry", "1GiB")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown key 'streaming_memry' (did you mean 'streaming_memory'?)");
        assertThatThrownBy(() -> DeclaredOptions.of("xyz")).hasMessageContaining("(expected: one of cluster_name, ");
    }

    @Test
    void the_least_memory_is_the_least_that_can_be_divided() {
        assertThat(DeclaredOptions.STREAMING_MEMORY.read("16MiB")).isEqualTo(MemoryBudget.LEAST_BYTES);
        assertThatThrownBy(() -> DeclaredOptions.STREAMING_MEMORY.read("16383KiB"))
                .hasMessage("streaming_memory: '16383KiB'" + " (expected: bytes with a unit, from 16MiB to 1024TiB)");
    }

    @Test
    void a_renamed_key_is_refused_with_its_new_name() {
        assertThat(DeclaredOptions.RENAMED).isNotEmpty().allSatisfy((old, now) -> {
            assertThat(DeclaredOptions.of(now).key()).isEqualTo(now);
            assertThatThrownBy(() -> DeclaredOptions.of(old))
                    .hasMessage("unknown key '" + old + "' (it is '" + now + "' now)");
        });
    }

    @Test
    void a_new_name_that_does_not_apply_here_is_not_offered() {
        assertThat(NearestKey.hint("old", List.of("nodes", "size"), Map.of("old", "new")))
                .isEqualTo("(expected: one of nodes, size)");
    }
}
