/** Tests. */
@NullMarked
package io.sluice.harness;

import org.jspecify.annotations.NullMarked;
