package io.sluice.harness.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTreeTest {
    @Test
    void has_what_the_text_has() throws IOException {
        JsonTree tree = JsonTree.read("{\"name\": \"n\\u00e41\", \"list\": [1, -2], \"none\": null, \"yes\": true}");

        assertThat(tree.members()).containsOnlyKeys("name", "list", "none", "yes");
        assertThat(tree.at("name").text()).isEqualTo("nä1");
        assertThat(tree.at("list").elements().get(1).number()).isEqualTo(-2);
        assertThat(tree.at("yes").value()).isEqualTo(true);
        assertThat(tree.at("none").textIfAny()).isEmpty();
        assertThat(tree.at("other").textIfAny()).isEmpty();
    }

    @Test
    void something_else_than_expected_is_named() throws IOException {
        JsonTree tree = JsonTree.read("{\"nodes\": [{\"port\": \"x\"}]}");
        JsonTree node = tree.at("nodes").elements().get(0);

        assertThatThrownBy(() -> node.at("port").number())
                .isInstanceOf(JsonProcessingException.class)
                .hasMessage("port: not an integer");
        assertThatThrownBy(() -> node.at("host").text()).hasMessage("host: not a text");
        assertThatThrownBy(() -> node.at("host").at("name")).hasMessage("host: not an object");
        assertThatThrownBy(tree::elements).hasMessage("the whole: not a list");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "{", "[1,", "{} {}", "{\"a\": 1, \"a\": 2}", "9223372036854775808", "1.5", "nul", "[[}"})
    void what_is_no_value_is_refused(String text) {
        assertThatThrownBy(() -> JsonTree.read(text)).isInstanceOf(JsonProcessingException.class);
    }

    @Test
    void what_is_too_deep_is_refused() {
        assertThatThrownBy(() -> JsonTree.read("[".repeat(1_000_000))).isInstanceOf(JsonProcessingException.class);
    }
}
