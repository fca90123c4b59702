/** Beans of UCX for applications of Spring Boot, by properties. */
@NullMarked
package io.reactorucx.spring.boot;

import org.jspecify.annotations.NullMarked;
