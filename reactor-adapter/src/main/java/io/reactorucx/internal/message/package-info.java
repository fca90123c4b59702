/** Flow-controlled messages: many streams over one connection, batched and with credits. */
@NullMarked
package io.reactorucx.internal.message;

import org.jspecify.annotations.NullMarked;
