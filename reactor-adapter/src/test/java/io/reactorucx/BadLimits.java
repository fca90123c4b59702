package io.reactorucx;

import static io.reactorucx.BadInput.thrown;

import java.util.ArrayList;
import java.util.List;

/** Wrong bounds of what may wait, and wrong questions about what was lost. */
final class BadLimits {

    private static final Class<IllegalArgumentException> ILLEGAL = IllegalArgumentException.class;
    private static final Class<NullPointerException> MISSING = NullPointerException.class;

    private final List<BadInput> cases = new ArrayList<>();

    private BadLimits() {
        buffers();
        messages();
    }

    static List<BadInput> all() {
        return new BadLimits().cases;
    }

    private void buffers() {
        for (int count : new int[] {-1, Integer.MIN_VALUE}) {
            cases.add(thrown("UcxResourcesBuilder.maxBufferWaiters(int)", "count " + count, ILLEGAL,
                    tried -> UcxResources.builder().maxBufferWaiters(count), "maxBufferWaiters " + count,
                    "must be at least 0"));
            cases.add(thrown("UcxResourcesBuilder.maxIdleEndpoints(int)", "count " + count, ILLEGAL,
                    tried -> UcxResources.builder().maxIdleEndpoints(count), "maxIdleEndpoints " + count,
                    "must be at least 0"));
        }
        for (long bytes : new long[] {-1, Long.MIN_VALUE}) {
            cases.add(thrown("UcxResourcesBuilder.maxMappedBytes(long)", "bytes " + bytes, ILLEGAL,
                    tried -> UcxResources.builder().maxMappedBytes(bytes), "maxMappedBytes " + bytes,
                    "must be at least 0"));
        }
        for (int bytes : new int[] {-1, 1, 128 << 10, (256 << 10) + 1, 128 << 20, Integer.MIN_VALUE}) {
            cases.add(thrown("UcxResourcesBuilder.ringBytes(int)", "bytes " + bytes, ILLEGAL,
                    tried -> UcxResources.builder().ringBytes(bytes), "ringBytes " + bytes,
                    "power of two in 262144..67108864"));
        }
        String authenticators = "UcxResourcesBuilder.authenticatorLimits(int,int)";
        for (int threads : new int[] {-1, 0, 1025, Integer.MAX_VALUE}) {
            cases.add(thrown(authenticators, "threads " + threads, ILLEGAL,
                    tried -> UcxResources.builder().authenticatorLimits(threads, 1), "threads " + threads, "1..1024"));
        }
        for (int queued : new int[] {-1, 0, (1 << 20) + 1, Integer.MAX_VALUE}) {
            cases.add(thrown(authenticators, "queuedSteps " + queued, ILLEGAL,
                    tried -> UcxResources.builder().authenticatorLimits(1, queued), "queuedSteps " + queued,
                    "1..1048576"));
        }
        for (int count : new int[] {0, -1, Integer.MIN_VALUE}) {
            cases.add(thrown("UcxResourcesBuilder.maxParkedEndpoints(int)", "count " + count, ILLEGAL,
                    tried -> UcxResources.builder().maxParkedEndpoints(count), "maxParkedEndpoints " + count,
                    "must be at least 1"));
            cases.add(thrown("UcxResourcesBuilder.maxUnboundEndpoints(int)", "count " + count, ILLEGAL,
                    tried -> UcxResources.builder().maxUnboundEndpoints(count), "maxUnboundEndpoints " + count,
                    "must be at least 1"));
        }
        for (double share : new double[] {0, -0.5, 1.01, Double.NaN, Double.POSITIVE_INFINITY}) {
            cases.add(thrown("UcxResourcesBuilder.clientShare(double)", "fraction " + share, ILLEGAL,
                    tried -> UcxResources.builder().clientShare(share), "clientShare " + share, "at most 1"));
        }
        cases.add(thrown("UcxResourcesBuilder.leakDetection(LeakDetection)", "null", MISSING,
                tried -> UcxResources.builder().leakDetection(null), "level"));
        for (long bytes : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, (256L << 20) + 1}) {
            cases.add(thrown("UcxBufferPool.acquireLater(long)", bytes + " bytes", ILLEGAL,
                    tried -> tried.resources().buffers().acquireLater(bytes), "bytes " + bytes, "0.." + (256L << 20)));
        }
        cases.add(thrown("UcxBuffer.touch(Object)", "null", MISSING, tried -> tried.foreign.touch(null), "hint"));
    }

    private void messages() {
        for (int count : new int[] {0, -1, Integer.MIN_VALUE}) {
            String[] words = {"maxHeldOffers " + count, "must be at least 1"};
            cases.add(thrown("UcxClient.maxHeldOffers(int)", "count " + count,
                    ILLEGAL, tried -> tried.client().maxHeldOffers(count), words));
            cases.add(thrown("UcxServer.maxHeldOffers(int)", "count " + count,
                    ILLEGAL, tried -> tried.server().maxHeldOffers(count), words));
        }
        cases.add(thrown("UcxResources.droppedMessages(DropReason)", "null",
                MISSING, tried -> tried.resources().droppedMessages(null),
                "reason"));
    }
}
