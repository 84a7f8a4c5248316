@NullMarked
package io.sluice.streaming.session;

import org.jspecify.annotations.NullMarked;
