/** Tests. */
@NullMarked
package io.sluice.harness.soak;

import org.jspecify.annotations.NullMarked;
