package io.sluice.streaming.session;

import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.progress.SessionProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The offers of a source, received page by page and checked against the requests. Not thread-safe. */
final class ReceivedOffers {
    private static final int MAX_OFFERS = 1_000_000;
    /** 4 EiB in total over all offers of a session, so that sums of a few of them do not overflow. */
    private static final long MAX_LENGTH_BYTES = 1L << 62;

    private final List<Message.TableRequest> requests;
    private final List<SSTableOffer> offers = new ArrayList<>();
    private List<SessionProgress.Offered> asOffered = List.of();
    private boolean areAllThere;
    private boolean areFetchable;
    /** How many of them were taken. */
    private int taken;

    private long lengthBytes;

    ReceivedOffers(List<Message.TableRequest> requests) {
        this.requests = requests;
    }

    /** Adds a page; returns the protocol violation, if any: then the session is over. */
    Optional<String> add(Message.PrepareSynAck page) {
        if (areAllThere) {
            return Optional.of("an offer after the last one");
        }
        if (page.offers().isEmpty() && !page.last()) {
            return Optional.of("a page without offers");
        }
        for (SSTableOffer offer : page.offers()) {
            if (!areRequestedOf(offer.tableId()) || offer.number() != offers.size() || offers.size() == MAX_OFFERS) {
                return Optional.of("an offer that was not requested");
            }
            if (offer.lengthBytes() > MAX_LENGTH_BYTES - lengthBytes) {
                return Optional.of("offers of more than " + MAX_LENGTH_BYTES + " bytes in total");
            }
            lengthBytes += offer.lengthBytes();
            offers.add(offer);
        }
        areAllThere = page.last();
        areFetchable |= page.isFetchable();
        if (areAllThere) {
            asOffered = offers.stream()
                    .limit(SessionProgress.MAX_OFFERED)
                    .map(offer -> new SessionProgress.Offered(
                            offer.tableId(),
                            offer.source().toString(),
                            offer.choice().mode(),
                            offer.lengthBytes(),
                            offer.choice().reason()))
                    .toList();
        }
        return Optional.empty();
    }

    boolean areRequestedOf(UUID tableId) {
        return requests.stream().anyMatch(request -> request.tableId().equals(tableId));
    }

    boolean has(int number) {
        return number >= 0 && number < offers.size();
    }

    /** The offer with a known number. */
    SSTableOffer get(int number) {
        return offers.get(number);
    }

    /** Whether the source has said that what it has offered so far may be fetched. */
    boolean areFetchable() {
        return areFetchable;
    }

    /** Whether the last page is there. */
    boolean areAllThere() {
        return areAllThere;
    }

    /** Whether {@link #next} has returned everything, and nothing follows. */
    boolean areAllTaken() {
        return areAllThere && taken == offers.size();
    }

    /** The offers of some tables since the last call, in order. */
    List<SSTableOffer> next(Set<UUID> tables) {
        List<SSTableOffer> next = offers.subList(taken, offers.size()).stream()
                .filter(offer -> tables.contains(offer.tableId()))
                .toList();
        taken = offers.size();
        return next;
    }

    /** The first offers for progress samples, once all are known. */
    List<SessionProgress.Offered> asOffered() {
        return asOffered;
    }
}
