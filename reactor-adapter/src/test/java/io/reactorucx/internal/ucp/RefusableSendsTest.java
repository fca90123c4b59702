package io.reactorucx.internal.ucp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.ucp.RefusableSends.RefusableSend;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RefusableSendsTest {

    private static final int NUMBERS = 65535;

    private final RefusableSends sends = new RefusableSends();
    private final List<Integer> outcomes = new ArrayList<>();

    private RefusableSend post() {
        RefusableSend send = sends.begin((rawStatus, length, tag) -> outcomes.add(rawStatus));
        sends.posted(send, false);
        return send;
    }

    @Test
    void oneMessageIsRefused() {
        RefusableSend refused = post();
        RefusableSend taken = post();
        sends.refused(refused.number());
        refused.complete(0, 0, 0);
        taken.complete(0, 0, 0);
        assertThat(outcomes).containsExactly(UcxStatus.REJECTED.code(), 0);
    }

    @Test
    void noTwoMessagesInFlightHaveTheSameNumber() {
        int first = post().number();
        for (int i = 1; i < NUMBERS; i++) {
            RefusableSend send = post();
            assertThat(send.number()).isBetween(1, NUMBERS).isNotEqualTo(first);
            send.complete(0, 0, 0);
        }
        assertThat(post().number()).isNotEqualTo(first).isNotEqualTo(RefusableSends.NONE);
    }

    @Test
    void whatFindsNoNumberIsRefused() {
        RefusableSend last = post();
        for (int i = 1; i < NUMBERS; i++) {
            last = post();
        }
        assertThatThrownBy(this::post).isInstanceOfSatisfying(UcxException.class,
                e -> assertThat(e.status()).isEqualTo(UcxStatus.NO_RESOURCE));
        last.complete(0, 0, 0);
        assertThat(post().number()).isEqualTo(last.number());
    }
}
