/** Settings of connections, checked and immutable. */
@NullMarked
package io.reactorucx.internal.config;

import org.jspecify.annotations.NullMarked;
