package io.reactorucx.examples.boot;

import java.time.Duration;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Greets in JSON. */
@RestController
class GreetingController {

    private static final Duration TICK = Duration.ofMillis(10);

    /**
     * Who wants to be greeted.
     *
     * @param name not blank
     */
    record Guest(String name) {

        Guest {
            if (name.isBlank()) {
                throw new IllegalArgumentException("name: must not be blank");
            }
        }
    }

    @GetMapping("/greetings/{name}")
    Mono<Greeting> greet(@PathVariable String name) {
        return Mono.just(Greeting.of(name));
    }

    @PostMapping("/greetings")
    Mono<Greeting> greet(@RequestBody Mono<Guest> guest) {
        return guest.map(each -> Greeting.of(each.name()));
    }

    /** Counts in server-sent events until the client has enough. */
    @GetMapping(path = "/ticks", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<Long> ticks() {
        return Flux.interval(TICK).onBackpressureDrop();
    }

    /** The numbers below a count, as fast as the client reads. */
    @GetMapping(path = "/numbers/{count}", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<Integer> numbers(@PathVariable int count) {
        return Flux.range(0, count);
    }
}
