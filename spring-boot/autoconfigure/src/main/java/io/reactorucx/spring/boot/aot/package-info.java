/** The hints that native images of applications need. */
@NullMarked
package io.reactorucx.spring.boot.aot;

import org.jspecify.annotations.NullMarked;
