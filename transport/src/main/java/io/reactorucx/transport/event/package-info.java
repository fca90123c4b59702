/** Events of JDK Flight Recorder. */
@NullMarked
package io.reactorucx.transport.event;

import org.jspecify.annotations.NullMarked;
