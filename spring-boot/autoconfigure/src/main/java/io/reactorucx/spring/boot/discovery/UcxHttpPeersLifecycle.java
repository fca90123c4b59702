package io.reactorucx.spring.boot.discovery;

import java.io.IOException;
import java.net.ConnectException;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.loadbalancer.CompletionContext;
import org.springframework.cloud.client.loadbalancer.LoadBalancerLifecycle;
import org.springframework.cloud.client.loadbalancer.Request;
import org.springframework.cloud.client.loadbalancer.Response;

/** Passes the load balancer's choices, and failures of channels, on to {@link UcxHttpPeers}. */
final class UcxHttpPeersLifecycle implements LoadBalancerLifecycle<Object, Object, ServiceInstance> {

    private final UcxHttpPeers peers;

    UcxHttpPeersLifecycle(UcxHttpPeers peers) {
        this.peers = peers;
    }

    @Override
    public void onStart(Request<Object> request) {
        // Nothing is chosen yet.
    }

    @Override
    public void onStartRequest(Request<Object> request, Response<ServiceInstance> chosen) {
        ServiceInstance instance = chosen == null ? null : chosen.getServer();
        if (instance != null) {
            peers.chosen(instance);
        }
    }

    @Override
    public void onComplete(CompletionContext<Object, ServiceInstance, Object> completion) {
        Response<ServiceInstance> chosen = completion.getLoadBalancerResponse();
        ServiceInstance instance = chosen == null ? null : chosen.getServer();
        Throwable failure = completion.getThrowable();
        if (completion.status() == CompletionContext.Status.FAILED && instance != null && failure != null
                && isOfChannel(failure)) {
            peers.failed(instance, failure);
        }
    }

    /** A refused connection says nothing about UCX: nobody listens, over TCP neither. */
    private static boolean isOfChannel(Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException) {
                return false;
            }
            if (cause instanceof IOException) {
                return true;
            }
        }
        return false;
    }
}
