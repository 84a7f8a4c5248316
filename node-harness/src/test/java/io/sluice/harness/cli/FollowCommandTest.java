package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

/** What {@code ./sluice follow} says if it cannot begin. */
class FollowCommandTest {
    private static final InetSocketAddress AT = new InetSocketAddress("127.0.0.3", 7100);

    @Test
    void a_folder_that_cannot_be_made_is_said_of_the_option_that_names_it() {
        assertThat(FollowCommand.cannotFollow(AT, new NoSuchFileException("/proc/x")))
                .hasMessageContaining("--to /proc/x: no such file or folder");
    }

    @Test
    void an_address_that_is_in_use_is_said_of_the_other_one() {
        assertThat(FollowCommand.cannotFollow(AT, new BindException("Address already in use")))
                .hasMessageContaining("--listen 127.0.0.3:7100: Address already in use");
    }
}
