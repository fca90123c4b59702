package io.reactorucx.transport.carrier;

import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What an engine puts over the endpoints of new connections: rings, encryption. Each layer carries what those above it
 * do not carry themselves.
 *
 * <p>Thread: any.
 */
public final class CarrierLayers {

    /** Makes one layer of a connection. */
    @FunctionalInterface
    public interface Layer {

        /** Returns a carrier over another one, or that one where the connection needs no such layer. */
        Carrier over(Carrier below, ConnectionConfig config, ConnectionIdentity identity);
    }

    final List<Layer> layers = new CopyOnWriteArrayList<>();

    /** Adds a layer over those there are, for connections that are made from now on. */
    public void add(Layer layer) {
        layers.add(layer);
    }

    /** Returns what carries the messages of a connection with an endpoint. */
    public Carrier over(EndpointCarrier endpoint, ConnectionConfig config, ConnectionIdentity identity) {
        Carrier carrier = endpoint;
        for (Layer layer : layers) {
            carrier = layer.over(carrier, config, identity);
        }
        return carrier;
    }
}
