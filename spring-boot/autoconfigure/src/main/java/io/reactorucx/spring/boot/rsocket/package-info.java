/** Serves and calls RSocket over connections of UCX. */
@NullMarked
package io.reactorucx.spring.boot.rsocket;

import org.jspecify.annotations.NullMarked;
