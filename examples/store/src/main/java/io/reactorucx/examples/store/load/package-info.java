/** The program {@code ./run store}, which starts a registry and nodes, puts them under load, and kills some. */
@NullMarked
package io.reactorucx.examples.store.load;

import org.jspecify.annotations.NullMarked;
