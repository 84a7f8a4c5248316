/** Tests. */
@NullMarked
package io.sluice.harness.load;

import org.jspecify.annotations.NullMarked;
