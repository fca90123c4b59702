package io.reactorucx.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.docs.ObservationDocumentation;

/** Every observation of this library: name, and key names. */
// Micrometer is optional, so io.reactorucx does not hand it on: a module without observations compiles without it.
@SuppressWarnings("exports")
public enum UcxObservationDocumentation implements ObservationDocumentation {

    /** A request that this side sends, from its subscription to the end of the response. */
    REQUEST("reactor.ucx.client.request"),
    /** A request that a responder of this side answers, from its arrival to the end of the response. */
    RESPONSE("reactor.ucx.server.request"),
    /** A send of messages, from its subscription until all have been sent. */
    SEND("reactor.ucx.send"),
    /** A handler of a server's connection, from its start to its end. */
    HANDLER("reactor.ucx.handler");

    private final String observationName;

    UcxObservationDocumentation(String observationName) {
        this.observationName = observationName;
    }

    @Override
    public String getName() {
        return observationName;
    }

    @Override
    public KeyName[] getLowCardinalityKeyNames() {
        return LowCardinality.values();
    }

    @Override
    public KeyName[] getHighCardinalityKeyNames() {
        return HighCardinality.values();
    }

    /** Keys with few values, which are tags of meters as well. */
    public enum LowCardinality implements KeyName {

        /**
         * Kind of the operation: {@code request_response}, {@code request_stream}, {@code request_channel} or
         * {@code fire_and_forget}, {@code messages} of a send, {@code connection} of a handler.
         */
        OPERATION {
            @Override
            public String asString() {
                return "operation";
            }
        },
        /** How it has ended: {@code success}, {@code error}, {@code cancelled} or {@code deadline}. */
        OUTCOME {
            @Override
            public String asString() {
                return "outcome";
            }
        }
    }

    /** Keys with any number of values, which only traces have. */
    public enum HighCardinality implements KeyName {

        /** The name of the peer. */
        PEER {
            @Override
            public String asString() {
                return "peer";
            }
        }
    }
}
