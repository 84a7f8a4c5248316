@NullMarked
package io.sluice.streaming.transfer.mutation;

import org.jspecify.annotations.NullMarked;
