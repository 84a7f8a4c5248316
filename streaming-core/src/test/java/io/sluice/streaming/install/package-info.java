@NullMarked
package io.sluice.streaming.install;

import org.jspecify.annotations.NullMarked;
