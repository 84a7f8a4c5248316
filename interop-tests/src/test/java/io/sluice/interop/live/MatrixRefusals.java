package io.sluice.interop.live;

import java.util.List;
import java.util.Optional;

/** Cells that releases refuse to write, with the reason. Any other refusal is a failure, and so is one that is gone. */
final class MatrixRefusals {
    private static final List<Known> KNOWN = List.of();

    private MatrixRefusals() {}

    /**
     * One of them.
     *
     * @param cell how the cell's name begins
     */
    private record Known(String cell, String reason) {}

    /** Why a cell is refused; empty if it has to be written. */
    static Optional<String> reason(MatrixCell cell) {
        return KNOWN.stream()
                .filter(known -> cell.toString().startsWith(known.cell()))
                .map(Known::reason)
                .findFirst();
    }
}
