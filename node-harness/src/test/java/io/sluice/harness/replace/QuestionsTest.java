package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Questions that are asked at the same time. */
@Timeout(60)
class QuestionsTest {
    @Test
    void answers_have_the_order_of_their_questions() throws Exception {
        CountDownLatch second = new CountDownLatch(1);

        List<String> answers = Questions.all(List.of(
                () -> {
                    second.await();
                    return "first";
                },
                () -> {
                    second.countDown();
                    return "second";
                }));

        assertThat(answers).containsExactly("first", "second");
    }

    @Test
    void the_first_that_fails_ends_it_while_others_are_still_answered() throws Exception {
        CountDownLatch isAsked = new CountDownLatch(1);
        CountDownLatch isInterrupted = new CountDownLatch(1);

        assertThatThrownBy(() -> Questions.all(List.<Questions.Question<String>>of(
                        () -> {
                            isAsked.countDown();
                            try {
                                TimeUnit.DAYS.sleep(1);
                            } catch (InterruptedException e) {
                                isInterrupted.countDown();
                                throw e;
                            }
                            return "never";
                        },
                        () -> {
                            isAsked.await();
                            throw new IOException("refused");
                        })))
                .isInstanceOf(IOException.class)
                .hasMessage("refused");
        assertThat(isInterrupted.await(1, TimeUnit.MINUTES)).isTrue();
    }
}
