/** Tests. */
@NullMarked
package io.sluice.streaming.engine.send;

import org.jspecify.annotations.NullMarked;
