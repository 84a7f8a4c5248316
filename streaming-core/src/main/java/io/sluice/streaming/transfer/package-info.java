/** Preparation of offers: what a source reads of its pinned files before it sends the first byte. */
@NullMarked
package io.sluice.streaming.transfer;

import org.jspecify.annotations.NullMarked;
