package io.reactorucx.examples.store;

import io.reactorucx.examples.store.replica.Replicas;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of nodes and clients.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> none. <b>Errors:</b> those of the limits.
 *
 * @param node number of this node, from 0
 * @param nodes how many nodes the store has, alive or not; the same everywhere
 * @param host address that this node listens on
 * @param deadline of each request
 * @param maxEntries values of a node
 * @param maxBytes of a node's memory for values
 * @param maxValueBytes of a value
 * @param windowBytes from which size on clients read a value from the node's memory
 */
@ConfigurationProperties("store")
public record StoreProperties(@DefaultValue("0") int node, @DefaultValue("3") int nodes,
        @DefaultValue("127.0.0.1") String host, @DefaultValue("2s") Duration deadline,
        @DefaultValue("100000") long maxEntries, @DefaultValue("64MB") DataSize maxBytes,
        @DefaultValue("4MB") DataSize maxValueBytes, @DefaultValue("64KB") DataSize windowBytes) {

    Replicas.Settings replicas() {
        return new Replicas.Settings(node, nodes, maxEntries, maxBytes.toBytes(),
                Math.toIntExact(maxValueBytes.toBytes()), Math.toIntExact(windowBytes.toBytes()));
    }
}
