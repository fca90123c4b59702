package io.reactorucx.examples.dashboard;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Quotes prices in JSON. */
@RestController
class QuoteController {

    /**
     * A quote.
     *
     * @param symbol what is traded
     * @param price of one
     */
    record Quote(String symbol, int price) {
    }

    @GetMapping("/quotes/{symbol}")
    Mono<Quote> quote(@PathVariable String symbol) {
        return Mono.just(new Quote(symbol, symbol.length()));
    }
}
