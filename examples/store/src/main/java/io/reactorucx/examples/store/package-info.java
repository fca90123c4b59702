/** A replicated key-value cache: each node is an application of Spring Boot. */
@NullMarked
package io.reactorucx.examples.store;

import org.jspecify.annotations.NullMarked;
