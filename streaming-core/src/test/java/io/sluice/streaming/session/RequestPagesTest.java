package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.message.Message;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RequestPagesTest {
    private static final UUID TABLE = new UUID(0, 1);

    @Test
    void cuts_a_table_of_many_ranges_and_loses_none() {
        TokenRanges ranges = TokenRanges.of(LongStream.range(0, 25)
                .mapToObj(i -> TokenRange.of(i * 10, i * 10 + 5))
                .toList());

        List<Message.PrepareSyn> pages = RequestPages.of(List.of(new Message.TableRequest(TABLE, ranges)), 10);

        assertThat(pages).extracting(Message.PrepareSyn::last).containsExactly(false, false, true);
        assertThat(pages.stream()
                        .flatMap(page -> page.requests().stream())
                        .map(Message.TableRequest::ranges)
                        .reduce(TokenRanges.NONE, TokenRanges::union))
                .isEqualTo(ranges);
    }

    @Test
    void has_a_page_also_for_nothing() {
        assertThat(RequestPages.of(List.of(), 10)).containsExactly(new Message.PrepareSyn(List.of(), true));
    }
}
