package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.ffi.ucp_request_param_t;
import io.reactorucx.core.ffi.ucx_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is left out because the last call has filled it in must be the same as in a struct that is new. */
class RequestParametersTest {

    private static final MemorySegment STUB = MemorySegment.ofAddress(0x1000);
    private static final MemorySegment OTHER_STUB = MemorySegment.ofAddress(0x2000);
    private static final MemorySegment BLOCK = MemorySegment.ofAddress(0x3000);
    private static final MemorySegment REPLY = MemorySegment.ofAddress(0x4000);
    private static final int FLAGS = 5;
    private static final int OTHER_FLAGS = 6;

    /** Each way to fill the struct, with the number of the call as the token. */
    private interface Filling {

        MemorySegment fill(RequestParameters parameters, long token);
    }

    private static final List<Filling> FILLINGS = List.of(
            (parameters, token) -> parameters.of(STUB, token, null),
            (parameters, token) -> parameters.of(OTHER_STUB, token, null),
            (parameters, token) -> parameters.plain(),
            (parameters, token) -> parameters.withFlags(STUB, token, null, FLAGS),
            (parameters, token) -> parameters.withFlags(STUB, token, null, OTHER_FLAGS),
            (parameters, token) -> parameters.withoutImmediateCompletion(STUB, token, null),
            (parameters, token) -> parameters.forAtomic(STUB, token, 1, null),
            (parameters, token) -> parameters.forAtomic(STUB, token, 1, REPLY),
            (parameters, token) -> parameters.forData(STUB, token, 1, null, 0, 0, UcxMemoryType.UNKNOWN),
            (parameters, token) -> parameters.forData(STUB, token, RequestParameters.BYTES, null, 0, FLAGS,
                    UcxMemoryType.CUDA),
            (parameters, token) -> {
                MemorySegment struct = parameters.of(STUB, token, null);
                parameters.withRequest(BLOCK);
                return struct;
            });

    private Arena arena;

    @BeforeEach
    void open() {
        Assumptions.assumeTrue(Ucx.isAvailable(), () -> "UCX is not available: " + Ucx.unavailabilityCause());
        arena = Arena.ofConfined();
    }

    @AfterEach
    void close() {
        if (arena != null) {
            arena.close();
        }
    }

    /** The fields that UCX reads by the mask. */
    private static List<Object> read(MemorySegment struct) {
        int mask = ucp_request_param_t.op_attr_mask(struct);
        return List.of(mask,
                used(mask, ucx_h.UCP_OP_ATTR_FIELD_FLAGS(), ucp_request_param_t.flags(struct)),
                used(mask, ucx_h.UCP_OP_ATTR_FIELD_REQUEST(), ucp_request_param_t.request(struct).address()),
                used(mask, ucx_h.UCP_OP_ATTR_FIELD_CALLBACK(),
                        struct.get(ValueLayout.JAVA_LONG, ucp_request_param_t.cb$offset())),
                used(mask, ucx_h.UCP_OP_ATTR_FIELD_DATATYPE(), ucp_request_param_t.datatype(struct)),
                used(mask, ucx_h.UCP_OP_ATTR_FIELD_USER_DATA(), ucp_request_param_t.user_data(struct).address()),
                used(mask, ucx_h.UCP_OP_ATTR_FIELD_REPLY_BUFFER(), ucp_request_param_t.reply_buffer(struct).address()),
                used(mask, ucx_h.UCP_OP_ATTR_FIELD_MEMORY_TYPE(), ucp_request_param_t.memory_type(struct)));
    }

    private static Object used(int mask, int field, Object value) {
        return (mask & field) == 0 ? "unused" : value;
    }

    @Test
    void structIsTheSameAfterAnyTwoOtherCallsAsWhenItIsNew() {
        RequestParameters used = new RequestParameters(arena, null);
        long token = 0;
        for (Filling first : FILLINGS) {
            for (Filling second : FILLINGS) {
                for (int third = 0; third < FILLINGS.size(); third++) {
                    first.fill(used, ++token);
                    second.fill(used, ++token);
                    token++;
                    List<Object> expected = read(FILLINGS.get(third).fill(new RequestParameters(arena, null), token));
                    assertThat(read(FILLINGS.get(third).fill(used, token)))
                            .as("filling %d after %d and %d", third, FILLINGS.indexOf(first), FILLINGS.indexOf(second))
                            .isEqualTo(expected);
                }
            }
        }
    }
}
