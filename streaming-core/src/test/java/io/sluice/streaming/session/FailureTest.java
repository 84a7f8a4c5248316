package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.log.SystemError;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class FailureTest {
    @Test
    void an_error_of_the_disk_comes_with_advice_once() {
        IOException full = new IOException("No space left on device");
        String advised = "write /a: " + full.getMessage() + " (ENOSPC; " + SystemError.ENOSPC.advice() + ")";

        assertThat(Failure.of(full))
                .isEqualTo(new Failure(
                        ErrorCode.DISK_FULL,
                        "IOException: No space left on device (ENOSPC; free space on that volume)"));
        assertThat(Failure.of(new IOException(advised, new SystemError.Explained(advised, full))))
                .isEqualTo(new Failure(ErrorCode.DISK_FULL, "IOException: " + advised));
    }

    @Test
    void threads_and_memory_that_are_used_up_are_told_apart() {
        assertThat(Failure.of(new OutOfMemoryError("unable to create native thread: possibly out of memory"))
                        .reason())
                .startsWith("cannot create a thread: ");
        assertThat(Failure.of(new OutOfMemoryError("Java heap space")).reason()).startsWith("out of memory: ");
    }

    @Test
    void an_exception_with_a_code_keeps_it_and_any_other_one_is_a_defect() {
        assertThat(Failure.of(new StreamException(ErrorCode.BUSY, "later")))
                .isEqualTo(new Failure(ErrorCode.BUSY, "later"));
        assertThat(Failure.of(new IllegalStateException("two ends")).code()).isEqualTo(ErrorCode.INTERNAL);
    }
}
