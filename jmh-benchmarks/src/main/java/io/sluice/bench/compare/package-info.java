/** All ways to move the same part of the same table, side by side: {@code ./sluice compare}. */
@NullMarked
package io.sluice.bench.compare;

import org.jspecify.annotations.NullMarked;
