package io.sluice.sstable.component;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"", "ks/users nb-12-big-Data.db: CRC-32 is 8c736521", "C:\\data\\u000a", "Grüße, 表, \uD83D\uDE00"
            })
    void plain_text_stays_as_it_is(String said) {
        assertThat(Printable.text(said)).isSameAs(said);
    }

    @Test
    void a_line_break_makes_no_line() {
        assertThat(Printable.text("gone\n2026-11-22 ERROR [main] all is lost\r\tx\u0085y\u2028z"))
                .isEqualTo("gone\\n2026-11-22 ERROR [main] all is lost\\r\\tx\\u0085y\\u2028z");
    }

    @Test
    void a_terminal_is_not_commanded() {
        assertThat(Printable.text("\u001b[2J\u009b31m\u0007\u007f\0"))
                .isEqualTo("\\u001b[2J\\u009b31m\\u0007\\u007f\\u0000");
    }

    @ParameterizedTest
    @CsvSource({"202e", "202a", "2066", "2069", "200e", "061c", "200b", "feff", "d800", "dfff", "e000"})
    void nothing_turns_the_reading_direction_or_hides(String hex) {
        String character = Character.toString((char) Integer.parseInt(hex, 16));

        assertThat(Printable.text("a" + character + "b")).isEqualTo("a\\u" + hex + "b");
    }

    @Test
    void a_tag_of_two_halves_is_escaped_as_such() {
        assertThat(Printable.text(Character.toString(0xE0041))).isEqualTo("\\udb40\\udc41");
    }

    @Test
    void what_is_long_is_cut_and_says_how_long_it_was() {
        assertThat(Printable.text("x".repeat(1_000_000)))
                .hasSizeLessThanOrEqualTo(Printable.MAX_LENGTH)
                .startsWith("xxx")
                .endsWith("x... (1000000 characters)");
        assertThat(Printable.text("\0".repeat(2000)))
                .hasSizeLessThanOrEqualTo(Printable.MAX_LENGTH)
                .endsWith("\\u0000... (2000 characters)");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1959, 1960, 1961, 1999, 2000, 2001, 5000})
    void what_was_escaped_once_stays_as_it_is(int length) {
        for (String unit : new String[] {"\n", "\0", "x", "\uD83D\uDE00"}) {
            String once = Printable.text(unit.repeat(length));

            assertThat(Printable.text(once)).isEqualTo(once);
        }
    }

    @Test
    void the_whole_of_it_is_escaped_too() {
        String much = "x\u001b\ud800\uD83D\uDE00".repeat(3_000);

        assertThat(Printable.whole(much)).isEqualTo("x\\u001b\\ud800\uD83D\uDE00".repeat(3_000));
        assertThat(Printable.whole("plain")).isSameAs("plain");
    }
}
