/** Events of JDK Flight Recorder. */
@NullMarked
package io.reactorucx.internal.event;

import org.jspecify.annotations.NullMarked;
