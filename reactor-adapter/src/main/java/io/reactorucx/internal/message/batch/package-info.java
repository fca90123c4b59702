/** What travels in one active message: frames that are written and read, and the messages' order. */
@NullMarked
package io.reactorucx.internal.message.batch;

import org.jspecify.annotations.NullMarked;
