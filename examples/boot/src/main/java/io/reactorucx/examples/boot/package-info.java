/** An application of Spring Boot. One of its classes, a configuration, decides that its bytes go over UCX. */
@NullMarked
package io.reactorucx.examples.boot;

import org.jspecify.annotations.NullMarked;
