/** Soak tests: the same operation again and again while processes are killed, with a report at the end. */
@NullMarked
package io.sluice.harness.soak;

import org.jspecify.annotations.NullMarked;
