/** Messages between peers: active messages, tagged messages, requests, and their statistics. */
@NullMarked
package io.reactorucx.message;

import org.jspecify.annotations.NullMarked;
