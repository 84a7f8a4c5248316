/** How SSTables are offered: what a source reads of its pinned files before the first byte moves. */
@NullMarked
package io.sluice.streaming.transfer;

import org.jspecify.annotations.NullMarked;
