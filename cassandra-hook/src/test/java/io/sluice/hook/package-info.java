@NullMarked
package io.sluice.hook;

import org.jspecify.annotations.NullMarked;
