/** Tests. */
@NullMarked
package io.sluice.harness.cli;

import org.jspecify.annotations.NullMarked;
