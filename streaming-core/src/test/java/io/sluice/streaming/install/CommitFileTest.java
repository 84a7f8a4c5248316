package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A decision that could not be read at the next start is not written. */
class CommitFileTest {
    private static final UUID INSTALL = new UUID(1, 1);
    private static final UUID TABLE = new UUID(3, 3);
    /** 102 bytes as a line. */
    private static final CommitFile.StagedFile FILE =
            new CommitFile.StagedFile("nb-1-big-" + "a".repeat(80) + ".db", 123);

    private static CommitFile ofFiles(int count) {
        return new CommitFile(INSTALL, TABLE, List.of(), Collections.nCopies(count, FILE));
    }

    @Test
    void what_is_written_can_be_read() throws UnreadableLineException {
        byte[] bytes = ofFiles(10).encode();

        assertThat(CommitFile.decode(bytes)).isEqualTo(ofFiles(10));
        assertThat(ofFiles(11).encode()).hasSize(bytes.length + 102);
    }

    @Test
    void what_could_not_be_read_again_is_refused() {
        int most = CommitFile.MAX_LENGTH_BYTES / 102;

        assertThat(ofFiles(most - 2).encode().length).isLessThanOrEqualTo(CommitFile.MAX_LENGTH_BYTES);
        assertThatThrownBy(() -> ofFiles(most + 1).encode())
                .isInstanceOfSatisfying(
                        StreamException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.LIMIT))
                .hasMessage("install " + INSTALL + " of table " + TABLE + ": " + (most + 1)
                        + " files, whose list would be longer than 67108864 bytes, and could not be read again; nothing"
                        + " was committed (stream fewer ranges at once)");
    }
}
