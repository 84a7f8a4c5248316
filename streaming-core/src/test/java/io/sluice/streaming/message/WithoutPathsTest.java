package io.sluice.streaming.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ErrorCode;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer is told which file, not where it lies. */
class WithoutPathsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/var/lib/db/ks/users-0a/nb-1-big-Data.db: No space left | nb-1-big-Data.db: No space left",
                "write of '/home/ann/data/nb-1-big-Data.db' failed | write of 'nb-1-big-Data.db' failed",
                "work/node1/data/ks/t-1/nb-1-big-Data.db at 7 | nb-1-big-Data.db at 7",
                "/data: full | data: full",
                "/var/lib/db/ is full | db/ is full",
                "disk of data/node1/db/ is full | disk of db/ is full",
                "no (work/node1/nb-1-big-Data.db) | no (nb-1-big-Data.db)",
                "file:///home/ann/nb-1-big-Data.db | file://nb-1-big-Data.db",
                "work//node1/data/nb-1-big-Data.db | work/nb-1-big-Data.db",
                "C:\\db\\data\\nb-1-big-Data.db: gone | nb-1-big-Data.db: gone",
                "ks/users nb-12-big-Data.db: 24MiB/s, TLS 1.3 | ks/users nb-12-big-Data.db: 24MiB/s, TLS 1.3",
                "/127.0.0.1:7000 refused | 127.0.0.1:7000 refused",
                "no table 1/2 of 3 | no table 1/2 of 3",
                "nothing to hide | nothing to hide"
            })
    void of_a_path_the_last_name_stays(String reason, String told) {
        assertThat(WithoutPaths.text(reason)).isEqualTo(told);
    }

    /** Whoever reads a text again at each of its letters would need hours. */
    @ParameterizedTest
    @ValueSource(strings = {"x", "a/", "+/", "/", "/a", "(a/b/", "C:\\", "=x\\"})
    @Timeout(60)
    void a_long_text_takes_no_long_time(String part) {
        String text = part.repeat(1_000_000);

        assertThat(WithoutPaths.text(text)).hasSizeLessThanOrEqualTo(text.length());
        assertThat(WithoutPaths.text(text + " nb-1")).endsWith("nb-1");
    }

    @Test
    void every_reason_that_leaves_is_told_so() throws Exception {
        String reason = "/srv/secret/place/nb-1-big-Data.db: gone";
        for (Message message : new Message[] {
            new Message.SessionFailed(ErrorCode.DISK, reason),
            new Message.TableRefused(new UUID(1, 2), ErrorCode.DISK, reason),
            new Message.Released(new UUID(1, 2), ErrorCode.DISK, reason)
        }) {
            ByteBuffer bytes = MessageCodec.encode(message);
            byte[] frame = new byte[bytes.remaining()];
            bytes.get(frame);

            assertThat(new String(frame, java.nio.charset.StandardCharsets.ISO_8859_1))
                    .contains("nb-1-big-Data.db: gone")
                    .doesNotContain("secret");
        }
    }
}
