@NullMarked
package io.sluice.netty;

import org.jspecify.annotations.NullMarked;
