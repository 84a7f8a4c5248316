/** Dry-run planning: a ring from a file, a topology change, and the plan in readable form. */
@NullMarked
package io.sluice.harness.plan;

import org.jspecify.annotations.NullMarked;
