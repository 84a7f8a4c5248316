/** Tests. */
@NullMarked
package io.sluice.harness.scenario;

import org.jspecify.annotations.NullMarked;
