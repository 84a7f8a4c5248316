/** Tests. */
@NullMarked
package io.sluice.harness.audit;

import org.jspecify.annotations.NullMarked;
