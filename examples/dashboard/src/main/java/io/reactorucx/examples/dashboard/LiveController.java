package io.reactorucx.examples.dashboard;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Flux;

/** Sends samples to pages, as server-sent events. */
@RestController
class LiveController {

    /** How many pages may be open at a time. */
    static final int MAX_PAGES = 32;

    private final Sampler sampler;
    private final AtomicInteger pages = new AtomicInteger();

    LiveController(Sampler sampler) {
        this.sampler = sampler;
    }

    @GetMapping(path = "/live", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<Sample> live() {
        return Flux.defer(() -> {
            if (pages.incrementAndGet() > MAX_PAGES) {
                pages.decrementAndGet();
                return Flux.error(new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE,
                        "more than " + MAX_PAGES + " pages are open"));
            }
            return sampler.samples().doFinally(signal -> pages.decrementAndGet());
        });
    }
}
