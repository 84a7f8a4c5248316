/** Tests. */
@NullMarked
package io.sluice.streaming.engine.receive;

import org.jspecify.annotations.NullMarked;
