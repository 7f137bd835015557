"""The greatest flow is the one that brute force and networkx find."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from kilt.verification.flow import Flow
from support.profiles import examples

UNITS = st.integers(0, 4)


@st.composite
def networks(draw, most=7):
    given_units = draw(st.lists(UNITS, min_size=1, max_size=most))
    wanted = draw(st.lists(UNITS, min_size=1, max_size=most))
    each = st.lists(st.integers(0, len(given_units) - 1), unique=True, max_size=most)
    return given_units, wanted, [draw(each) for _ in wanted]


def greatest(given_units, wanted, givers) -> int:
    graph = nx.DiGraph()
    graph.add_nodes_from(["from", "to"])
    for giver, units in enumerate(given_units):
        graph.add_edge("from", ("giver", giver), capacity=units)
    for taker, units in enumerate(wanted):
        graph.add_edge(("taker", taker), "to", capacity=units)
        for giver in givers[taker]:
            graph.add_edge(("giver", giver), ("taker", taker))
    return nx.maximum_flow_value(graph, "from", "to")


@given(networks())
@examples(200)
def test_as_many_units_as_possible_change_hands(network):
    given_units, wanted, givers = network
    flow = Flow(*network)
    taken = sum(sum(each.values()) for each in flow.taken)
    assert taken == greatest(*network) == sum(wanted) - flow.missing
    for taker, each in enumerate(flow.taken):
        assert set(each) <= set(givers[taker])
        assert all(units > 0 for units in each.values())
        assert sum(each.values()) + flow.wanted[taker] == wanted[taker]
    for giver, units in enumerate(given_units):
        assert sum(each.get(giver, 0) for each in flow.taken) + flow.left[giver] == units


def test_a_long_chain_of_exchanges_is_found():
    """The first taker gets a unit only if everybody else moves on by one."""
    size = 2000
    givers = [[0]] + [[place - 1, place] for place in range(1, size)]
    flow = Flow([1] * (size - 1) + [1], [1] * size, givers)
    assert flow.missing == 0
    assert Flow([1] * (size - 1) + [0], [1] * size, givers).missing == 1


def test_exchanges_are_made_where_the_first_choice_was_wrong():
    flow = Flow([1, 1, 1], [1, 1, 1], [[0, 1], [0, 2], [0]])
    assert flow.missing == 0
    assert flow.taken == [{1: 1}, {2: 1}, {0: 1}]
