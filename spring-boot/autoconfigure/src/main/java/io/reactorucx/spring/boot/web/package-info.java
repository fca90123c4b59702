/** Puts the web server and its clients on UCX. */
@NullMarked
package io.reactorucx.spring.boot.web;

import org.jspecify.annotations.NullMarked;
