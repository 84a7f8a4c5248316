/** What live Cassandra nodes say of what we stream to them. */
@NullMarked
package io.sluice.interop.live;

import org.jspecify.annotations.NullMarked;
