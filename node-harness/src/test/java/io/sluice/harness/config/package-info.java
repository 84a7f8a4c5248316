/** Tests. */
@NullMarked
package io.sluice.harness.config;

import org.jspecify.annotations.NullMarked;
