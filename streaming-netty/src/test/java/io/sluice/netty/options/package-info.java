/** Tests of how settings are declared and read. */
@NullMarked
package io.sluice.netty.options;

import org.jspecify.annotations.NullMarked;
