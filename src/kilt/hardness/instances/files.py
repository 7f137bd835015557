"""Files of sources: graphs in the format of DIMACS or as lists of edges, matchings as lists of tuples.

DIMACS: ``p edge NODES EDGES``, then ``e U V`` for every edge, nodes numbered from 1, ``c`` before a comment; weights of
nodes (``n U WEIGHT``) are skipped. Matchings have the same format with ``p 3dm SIZE TUPLES`` and ``e X Y Z``. In a
plain list every line names the nodes of an edge (one alone is a node without edges), or the three elements of a tuple;
``#`` begins a comment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from kilt.errors import InputError
from kilt.hardness.problems.graphs import Graph
from kilt.hardness.problems.triples import Matching

SUFFIXES = (".col", ".clq", ".dimacs", ".3dm")
GRAPHS = ("edge", "col")
MATCHINGS = ("3dm",)
MOST_NODES = 1_000_000


@dataclass(frozen=True)
class Header:
    """What the line ``p`` says: the kind, the number of nodes or elements, and of edges or tuples."""

    kind: str
    size: int
    count: int


def read_graph(path: str | PathLike[str]) -> Graph:
    """Read a graph from a file of DIMACS or a list of edges."""
    lines = _lines(path)
    if _is_dimacs(path, lines):
        header, edges = _dimacs(path, lines, GRAPHS, 2)
        return Graph.of(_without_loops(path, edges), range(1, header.size + 1))
    words = _words(path, lines, (1, 2))
    pairs = [pair for pair in words if len(pair) == 2]
    return Graph.of(_without_loops(path, pairs), [node for line in words for node in line])


def read_matching(path: str | PathLike[str]) -> Matching:
    """Read a matching from a file as of DIMACS or a list of tuples."""
    lines = _lines(path)
    if _is_dimacs(path, lines):
        header, triples = _dimacs(path, lines, MATCHINGS, 3)
        return Matching.numbered(header.size, triples)
    return Matching.of(_words(path, lines, (3,)))


def graph_text(graph: Graph, comment: str = "") -> str:
    """Write a graph in the format of DIMACS; its nodes are numbered by their places."""
    edges = [f"e {u + 1} {v + 1}" for u, v in graph.edges]
    return _text(comment, f"p edge {len(graph.nodes)} {len(edges)}", edges)


def matching_text(matching: Matching, comment: str = "") -> str:
    """Write a matching in the format of DIMACS; its elements are numbered by their places."""
    places = [[place % matching.size + 1 for place in matching.places(triple)] for triple in matching.triples]
    return _text(comment, f"p 3dm {matching.size} {len(places)}", [f"e {x} {y} {z}" for x, y, z in places])


def _text(comment: str, header: str, lines: list[str]) -> str:
    return "\n".join([*(f"c {line}" for line in comment.splitlines()), header, *lines]) + "\n"


def _lines(path: str | PathLike[str]) -> list[str]:
    if Path(path).is_dir():
        raise InputError(f"'{path}' is a folder: name a file")
    try:
        return Path(path).read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise InputError(f"the file '{path}' does not exist") from None
    except (OSError, UnicodeDecodeError):
        raise InputError(f"the file '{path}' cannot be read as UTF-8 text") from None


def _is_dimacs(path: str | PathLike[str], lines: list[str]) -> bool:
    known = (*GRAPHS, *MATCHINGS)
    return Path(path).suffix.lower() in SUFFIXES or any(
        (words := line.split())[:1] == ["p"] and len(words) == 4 and words[1] in known for line in lines
    )


def _dimacs(
    path: str | PathLike[str], lines: list[str], kinds: tuple[str, ...], width: int
) -> tuple[Header, list[tuple[int, ...]]]:
    """Read the header and the lines behind it."""
    header: Header | None = None
    found: list[tuple[int, ...]] = []
    for number, line in enumerate(lines, 1):
        word, *rest = line.split() or ["c"]
        if word == "c" or (word == "n" and kinds == GRAPHS):
            continue
        if word == "p" and header is None:
            header = _header(path, number, rest, kinds)
        elif word == "e" and header is not None:
            found.append(_numbers(path, number, rest, header.size, width))
        else:
            what = "a second line 'p'" if word == "p" else f"'{word[:20]}' where a line 'p', 'e' or 'c' is due"
            raise InputError(f"'{path}', line {number}: there is {what}")
    if header is None:
        raise InputError(f"'{path}' has no line 'p {kinds[0]} SIZE COUNT'")
    distinct = len({tuple(sorted(each)) if width == 2 else each for each in found})
    if header.count not in (len(found), distinct):
        raise InputError(f"'{path}' promises {header.count} lines 'e' and has {len(found)}")
    return header, found


def _header(path: str | PathLike[str], number: int, words: list[str], kinds: tuple[str, ...]) -> Header:
    if len(words) != 3 or words[0] not in kinds or not all(word.isascii() and word.isdigit() for word in words[1:]):
        raise InputError(f"'{path}', line {number}: a line 'p {kinds[0]} SIZE COUNT' is due")
    if not _is_number(words[1]) or int(words[1]) > MOST_NODES:
        raise InputError(f"'{path}', line {number}: {words[1][:20]} are more than the {MOST_NODES:,} that can be taken")
    if not _is_number(words[2]):
        raise InputError(f"'{path}', line {number}: {words[2][:20]} are more lines than a file can have")
    return Header(words[0], int(words[1]), int(words[2]))


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 19


def _numbers(path: str | PathLike[str], number: int, words: list[str], size: int, width: int) -> tuple[int, ...]:
    numbers = tuple(int(word) if _is_number(word) else 0 for word in words)
    if len(numbers) != width or not all(1 <= each <= size for each in numbers):
        raise InputError(f"'{path}', line {number}: {width} numbers from 1 to {size} are due behind 'e'")
    return numbers


def _words(path: str | PathLike[str], lines: list[str], widths: tuple[int, ...]) -> list[tuple[str, ...]]:
    """Read a plain list: the words of every line, with blanks or commas between them."""
    found: list[tuple[str, ...]] = []
    for number, line in enumerate(lines, 1):
        words = tuple(line.partition("#")[0].replace(",", " ").split())
        if words and len(words) not in widths:
            due = " or ".join(map(str, widths))
            raise InputError(f"'{path}', line {number}: {due} names are due, and there are {len(words)}")
        found += [words] if words else []
    if not found:
        raise InputError(f"'{path}' is empty")
    return found


def _without_loops(path: str | PathLike[str], edges: Sequence[tuple[int | str, ...]]) -> list[tuple[int | str, ...]]:
    if any(u == v for u, v in edges):
        raise InputError(f"'{path}' has an edge from a node to itself: leave it out")
    return list(edges)
