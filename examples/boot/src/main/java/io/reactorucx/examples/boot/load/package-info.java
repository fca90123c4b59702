/** The program {@code ./run boot}, which measures the application over the kernel's TCP and over UCX. */
@NullMarked
package io.reactorucx.examples.boot.load;

import org.jspecify.annotations.NullMarked;
