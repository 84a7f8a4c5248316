/** Tests of predictions. */
@NullMarked
package io.sluice.harness.predict;

import org.jspecify.annotations.NullMarked;
