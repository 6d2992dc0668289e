"""How long a backtracking matcher can take: whether that is at most in proportion to the text.

An expression is made into an automaton. More than linear time needs a text v that leads from a
state p back to p, from p to another state q, and from q back to q: of v repeated n times, the
matcher tries all n ways to divide it (Weideman et al., "Analyzing matching time behavior of
backtracking regular expression matchers by using ambiguity of NFA", CIAA 2016). If there are two
ways from p to p with v, the time is exponential.
"""

from __future__ import annotations

import re
from collections import defaultdict
from re import _constants as c
from re import _parser as parser
from typing import Any

ALPHABET = frozenset(map(chr, range(128))) | {"é", "±"}
"""Characters that stand for all."""
MOST_COPIES = 6
"""A part with at most so many repetitions is copied; one with more is taken for a loop."""


class Automaton:
    """Of an expression; `is_anchored` if it is tried at one place of the text only."""

    def __init__(self, pattern: str, flags: int, *, is_anchored: bool) -> None:
        self.empty: dict[int, list[int]] = defaultdict(list)
        """Moves that take no character."""
        self.edges: list[tuple[int, frozenset[str], int]] = []
        self.final_moves: set[int] = set()
        """Edges that are never taken back: of possessive repetitions."""
        self.ends = False
        """Whether the text must end, or a line of it, for a match."""
        self._count = 0
        self._is_possessive = False
        tree = parser.parse(pattern, flags)
        self._flags = tree.state.flags
        start = self._state()
        if not is_anchored:
            start = self._search(tree, start)
        self.end = self._add(tree, start)
        self._link()

    def _search(self, tree: Any, start: int) -> int:
        """Add what is before a match; return where it begins."""
        begins = tree[0][1] if len(tree) > 0 and tree[0][0] is c.AT else None
        if begins is c.AT_BEGINNING and self._flags & re.MULTILINE:
            self.edges.append((start, ALPHABET, start))
            return self._edge(start, frozenset("\n"))
        if begins not in (c.AT_BEGINNING, c.AT_BEGINNING_STRING):
            self.edges.append((start, ALPHABET, start))
        return start

    def _state(self) -> int:
        self._count += 1
        return self._count

    def _edge(self, start: int, characters: frozenset[str]) -> int:
        end = self._state()
        if self._is_possessive:
            self.final_moves.add(len(self.edges))
        self.edges.append((start, characters, end))
        return end

    def _add(self, nodes: Any, start: int) -> int:
        for op, argument in nodes:
            start = self._node(op, argument, start)
        return start

    def _node(self, op: Any, argument: Any, start: int) -> int:
        if op in (c.LITERAL, c.NOT_LITERAL, c.ANY, c.IN):
            return self._edge(start, self._characters(op, argument))
        if op is c.SUBPATTERN:
            return self._add(argument[-1], start)
        if op is c.BRANCH:
            end = self._state()
            for branch in argument[1]:
                self.empty[self._add(branch, start)].append(end)
            return end
        if op in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
            return self._repeat(op, *argument, start)
        if op is c.AT:
            self.ends |= argument in (c.AT_END, c.AT_END_STRING)
            return start
        if op in (c.ASSERT, c.ASSERT_NOT):
            self._add(argument[1], start)  # tried, and then left
            return start
        raise NotImplementedError(f"{op} is not analysed")

    def _repeat(self, op: Any, least: int, most: Any, nodes: Any, start: int) -> int:
        if op is c.POSSESSIVE_REPEAT:
            if any(kind is not c.IN and kind is not c.LITERAL for kind, _ in nodes):
                raise NotImplementedError("possessive repetitions of more than a character")
            self._is_possessive = True
        for _ in range(min(least, MOST_COPIES)):
            start = self._add(nodes, start)
        end = self._state()
        self.empty[start].append(end)
        if most is not c.MAXREPEAT and most <= MOST_COPIES:
            for _ in range(most - least):
                start = self._add(nodes, start)
                self.empty[start].append(end)
        else:
            head = self._state()
            self.empty[start].append(head)
            last = self._add(nodes, head)
            self.empty[last] += [head, end]
        self._is_possessive = False
        return end

    def _characters(self, op: Any, argument: Any) -> frozenset[str]:
        """Ask `re` itself which characters a part matches."""
        state = parser.State()
        state.flags = self._flags
        tree = parser.SubPattern(state, [(op, argument)])
        found = re._compiler.compile(tree, self._flags)  # type: ignore[attr-defined]
        return frozenset(char for char in ALPHABET if found.match(char))

    def _link(self) -> None:
        """Find which edges can follow each edge, and in how many ways."""
        starts = defaultdict(list)
        for edge, (start, _, _) in enumerate(self.edges):
            starts[start].append(edge)
        self.next: dict[int, list[int]] = {}
        self.accepts: set[int] = set()
        for edge, (_, _, end) in enumerate(self.edges):
            self.next[edge] = []
            stack = [(end, frozenset({end}))]
            while stack:
                state, passed = stack.pop()
                if state == self.end:
                    self.accepts.add(edge)
                self.next[edge] += starts[state]
                stack += [(to, passed | {to}) for to in self.empty[state] if to not in passed]

    def leave_out(self, edges: set[int]) -> None:
        for edge, following in self.next.items():
            self.next[edge] = [] if edge in edges else [e for e in following if e not in edges]

    def loops(self) -> tuple[dict[int, set[int]], list[int]]:
        """What can follow each edge, and the edges that can follow themselves."""
        reached = {edge: self.reachable(edge) for edge in self.next}
        return reached, [edge for edge in self.next if edge in reached[edge]]

    def reachable(self, edge: int) -> set[int]:
        found: set[int] = set()
        stack = [edge]
        while stack:
            for following in self.next[stack.pop()]:
                if following not in found:
                    found.add(following)
                    stack.append(following)
        return found


def slow(pattern: str, flags: int = 0, *, usage: str = "search") -> str | None:
    """Return why an expression can take more than linear time; None if it cannot.

    `usage` is "fullmatch", "match" (at one place of the text), or "search" (at all of them).
    """
    try:
        automaton = Automaton(pattern, flags, is_anchored=usage != "search")
    except NotImplementedError as error:
        return str(error)
    reached, loops = automaton.loops()
    for p in loops:
        if len(set(automaton.next[p])) < len(automaton.next[p]):
            for following in automaton.next[p]:
                if p in reached[following] and automaton.next[p].count(following) > 1:
                    return "a part is repeated in two ways (exponential)"
    if usage != "fullmatch" and not automaton.ends:
        # Where a match is complete, nothing else is tried.
        automaton.leave_out(automaton.accepts)
        reached, loops = automaton.loops()
    for p in loops:
        for q in loops:
            if p == q or q not in reached[p] or p in automaton.final_moves:
                continue
            if not _never_fails(automaton, q) and _divides(automaton, reached, p, q):
                return f"a text can be divided between two repetitions, {p} and {q}"
    return None


def _never_fails(automaton: Automaton, q: int) -> bool:
    """Return whether all that follows is matched once the matcher is in q."""
    _, characters, _ = automaton.edges[q]
    return q in automaton.accepts and characters == ALPHABET and q in automaton.next[q]


def _divides(automaton: Automaton, reached: dict[int, set[int]], p: int, q: int) -> bool:
    """Return whether some text leads from p to p, from p to q, and from q to q."""
    edges = automaton.edges
    seen = {(p, p, q)}
    stack = [(p, p, q)]
    while stack:
        first, second, third = stack.pop()
        for a in automaton.next[first]:
            if p not in reached[a] | {a}:
                continue
            for b in automaton.next[second]:
                both = edges[a][1] & edges[b][1]
                if not both or q not in reached[b] | {b}:
                    continue
                for d in automaton.next[third]:
                    if q not in reached[d] | {d} or not both & edges[d][1]:
                        continue
                    if (a, b, d) == (p, q, q):
                        return True
                    if (a, b, d) not in seen:
                        seen.add((a, b, d))
                        stack.append((a, b, d))
    return False
