/** What the streams of one connection share. */
@NullMarked
package io.reactorucx.internal.message.context;

import org.jspecify.annotations.NullMarked;
