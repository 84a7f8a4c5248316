/** The sending end: pinned files leave by sendfile. */
@NullMarked
package io.sluice.netty.send;

import org.jspecify.annotations.NullMarked;
