package io.sluice.simulation.fluid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FluidTest {
    private final Clock clock = new Clock();
    private final Fluid fluid = new Fluid(clock);
    private final List<Double> arrivals = new ArrayList<>();

    private Flow flow(Resource... resources) {
        return new Flow(List.of(resources).stream()
                .map(resource -> new Flow.Use(resource, 1))
                .toList());
    }

    private List<Flow.Part> part(double bytes) {
        return List.of(new Flow.Part(bytes, () -> arrivals.add(clock.nowSeconds())));
    }

    private void runOut() {
        boolean isGoingOn = true;
        while (isGoingOn) {
            isGoingOn = clock.step();
        }
    }

    @Test
    void a_flow_alone_has_all_of_the_narrowest_place() {
        fluid.add(flow(new Resource("wide", 100), new Resource("narrow", 10)), part(50));

        runOut();

        assertThat(arrivals).singleElement().satisfies(at -> assertThat(at).isCloseTo(5, within(1e-6)));
    }

    @Test
    void two_share_and_the_longer_one_has_all_when_the_other_has_ended() {
        Resource link = new Resource("link", 10);
        fluid.add(flow(link), part(20));
        fluid.add(flow(link), part(50));

        runOut();

        assertThat(arrivals.get(0)).isCloseTo(4, within(1e-6));
        assertThat(arrivals.get(1)).isCloseTo(7, within(1e-6));
        assertThat(link.utilisation(7)).isCloseTo(1, within(1e-6));
    }

    @Test
    void who_is_held_back_elsewhere_leaves_its_share_to_the_others() {
        Resource shared = new Resource("shared", 10);
        fluid.add(flow(shared, new Resource("slow source", 2)), part(4));
        fluid.add(flow(shared), part(16));

        runOut();

        assertThat(arrivals).allSatisfy(at -> assertThat(at).isCloseTo(2, within(1e-6)));
    }

    @Test
    void who_needs_more_of_a_resource_for_a_byte_uses_it_up_sooner() {
        Resource core = new Resource("core", 1);
        fluid.add(new Flow(List.of(new Flow.Use(core, 0.25))), part(8));

        runOut();

        assertThat(arrivals).singleElement().satisfies(at -> assertThat(at).isCloseTo(2, within(1e-6)));
    }

    @Test
    void what_is_stopped_does_not_arrive_and_leaves_room() {
        Resource link = new Resource("link", 10);
        Flow dying = flow(link);
        fluid.add(dying, part(100));
        fluid.add(flow(link), part(30));
        clock.after(2, () -> fluid.stop(dying));

        runOut();

        assertThat(arrivals).singleElement().satisfies(at -> assertThat(at).isCloseTo(4, within(1e-6)));
    }
}
