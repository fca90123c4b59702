/** Two processes that talk over UCX, and a page that shows the meters of one of them as they move. */
@NullMarked
package io.reactorucx.examples.dashboard;

import org.jspecify.annotations.NullMarked;
