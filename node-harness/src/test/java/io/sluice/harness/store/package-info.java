/** Tests. */
@NullMarked
package io.sluice.harness.store;

import org.jspecify.annotations.NullMarked;
