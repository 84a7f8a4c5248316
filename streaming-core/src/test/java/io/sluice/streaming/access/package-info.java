/** Tests. */
@NullMarked
package io.sluice.streaming.access;

import org.jspecify.annotations.NullMarked;
