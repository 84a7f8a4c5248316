/** How long changes of clusters take that nobody has at hand: asks the model, and holds it against measured runs. */
@NullMarked
package io.sluice.harness.predict;

import org.jspecify.annotations.NullMarked;
