package io.sluice.sstable.encoding;

import java.nio.ByteBuffer;

/**
 * Off-heap buffers that begin at a page of memory. {@link ByteBuffer#allocateDirect} returns a long buffer 16 bytes
 * after the start of a page, to and from where some processors copy a quarter slower (docs/performance.md). Stateless.
 */
public final class PageAligned {
    /** A page of memory; a larger one, which some systems have, begins at a multiple of it. */
    public static final int PAGE_BYTES = 4096;

    private PageAligned() {}

    /** Allocates {@code lengthBytes}, at least 1, and a page. */
    public static ByteBuffer allocate(int lengthBytes) {
        ByteBuffer roomy = ByteBuffer.allocateDirect(lengthBytes + PAGE_BYTES);
        int intoPage = roomy.alignmentOffset(0, PAGE_BYTES);
        return roomy.slice(PAGE_BYTES - intoPage, lengthBytes);
    }
}
