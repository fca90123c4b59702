/** Random calls and chaos: programs that use the library in any order, right and wrong, and check the results. */
@NullMarked
package io.reactorucx.stress;

import org.jspecify.annotations.NullMarked;
