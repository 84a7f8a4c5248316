/** Tests. */
@NullMarked
package io.sluice.harness.json;

import org.jspecify.annotations.NullMarked;
