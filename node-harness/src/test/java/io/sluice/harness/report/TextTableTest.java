package io.sluice.harness.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tables on a terminal. */
class TextTableTest {
    @Test
    void a_column_is_as_wide_as_its_longest_cell() {
        TextTable table = new TextTable("node", "bytes", "why");
        table.row("n1", "1", "");
        table.row("a-long-name", "1000000", "full");

        assertThat(table.lines())
                .isEqualTo(List.of("  node         bytes    why", "  n1           1", "  a-long-name  1000000  full"));
    }

    /** If each row looked at all others, these were 10^11 cells. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void a_large_table_ends() {
        int rows = 300_000;
        TextTable table = new TextTable("a", "b");
        for (int i = 0; i < rows; i++) {
            table.row("x", "y");
        }

        assertThat(table.lines()).hasSize(rows + 1);
    }
}
