package io.sluice.streaming.session;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.message.Message;
import java.util.ArrayList;
import java.util.List;

/** Divides requests into pages, so that each message stays short for any number of ranges. Stateless. */
final class RequestPages {
    private static final int MAX_REQUESTS_PER_PAGE = 500;

    private RequestPages() {}

    /** Pages of at most {@code rangesPerPage} ranges; at least one page. */
    static List<Message.PrepareSyn> of(List<Message.TableRequest> requests, int rangesPerPage) {
        List<List<Message.TableRequest>> pages = new ArrayList<>(List.of(new ArrayList<>()));
        int left = rangesPerPage;
        for (Message.TableRequest request : requests) {
            List<TokenRange> ranges = request.ranges().ranges();
            for (int from = 0; from < ranges.size(); ) {
                List<Message.TableRequest> page = pages.get(pages.size() - 1);
                if (left == 0 || page.size() == MAX_REQUESTS_PER_PAGE) {
                    page = new ArrayList<>();
                    pages.add(page);
                    left = rangesPerPage;
                }
                int to = Math.min(ranges.size(), from + left);
                page.add(new Message.TableRequest(
                        request.tableId(), request.schemaDigest(), TokenRanges.of(ranges.subList(from, to))));
                left -= to - from;
                from = to;
            }
        }
        List<Message.PrepareSyn> messages = new ArrayList<>();
        for (int i = 0; i < pages.size(); i++) {
            messages.add(new Message.PrepareSyn(pages.get(i), i == pages.size() - 1));
        }
        return messages;
    }
}
