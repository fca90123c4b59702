/** Health of engines, connections and loops. */
@NullMarked
package io.reactorucx.spring.boot.health;

import org.jspecify.annotations.NullMarked;
