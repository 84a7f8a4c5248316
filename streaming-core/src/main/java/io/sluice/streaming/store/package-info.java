/** What an embedding database implements: which SSTables to pin, where received ones land, when they go live. */
@NullMarked
package io.sluice.streaming.store;

import org.jspecify.annotations.NullMarked;
