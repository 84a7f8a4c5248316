/** Tests. */
@NullMarked
package io.sluice.harness.report;

import org.jspecify.annotations.NullMarked;
