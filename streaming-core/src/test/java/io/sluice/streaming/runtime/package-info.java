/** Tests of the seams. */
@NullMarked
package io.sluice.streaming.runtime;

import org.jspecify.annotations.NullMarked;
