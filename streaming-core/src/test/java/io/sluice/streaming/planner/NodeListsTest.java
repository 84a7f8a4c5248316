package io.sluice.streaming.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NodeListsTest {
    @Test
    void a_list_that_equals_the_one_before_it_has_its_number() {
        NodeLists lists = new NodeLists();

        int[] numbers = {
            lists.add(new int[] {3, 1}),
            lists.add(new int[] {3, 1}),
            lists.add(new int[] {3, 1, 2}),
            lists.add(new int[] {3, 1}),
            lists.add(new int[] {})
        };

        assertThat(numbers).containsExactly(0, 0, 1, 2, 3);
        assertThat(lists.copy(2)).containsExactly(3, 1);
        assertThat(lists.copy(3)).isEmpty();
    }

    @Test
    void keeps_more_lists_than_there_was_room_for() {
        List<int[]> added = lists(1, 1_000);
        NodeLists lists = new NodeLists();

        int[] numbers = added.stream().mapToInt(lists::add).toArray();

        for (int i = 0; i < numbers.length; i++) {
            assertThat(lists.copy(numbers[i])).isEqualTo(added.get(i));
        }
    }

    @Test
    void adds_all_of_another_one_behind_its_own() {
        NodeLists lists = new NodeLists();
        List<int[]> own = lists(2, 300);
        int[] ownNumbers = own.stream().mapToInt(lists::add).toArray();
        NodeLists others = new NodeLists();
        List<int[]> added = lists(3, 500);
        int[] othersNumbers = added.stream().mapToInt(others::add).toArray();

        int first = lists.addAll(others);

        IntStream.range(0, own.size())
                .forEach(i -> assertThat(lists.copy(ownNumbers[i])).isEqualTo(own.get(i)));
        for (int i = 0; i < added.size(); i++) {
            int list = first + othersNumbers[i];
            assertThat(lists.size(list)).isEqualTo(added.get(i).length);
            for (int k = 0; k < added.get(i).length; k++) {
                assertThat(lists.get(list, k)).isEqualTo(added.get(i)[k]);
            }
        }
    }

    private static List<int[]> lists(long seed, int count) {
        Random random = new Random(seed);
        List<int[]> lists = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lists.add(random.ints(1 + random.nextInt(5), 0, 100).toArray());
        }
        return lists;
    }
}
