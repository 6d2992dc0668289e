"""The models of the command line, called from Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evenair.models.command.answer import Answer, inputs
from evenair.models.command.answer import evaluate as evaluate_query
from evenair.models.command.catalogue import MODELS
from evenair.models.command.query import check_known, make_query
from evenair.models.command.text import assumptions, description, title
from evenair.text import markup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evenair.models.command.catalogue import Model
    from evenair.models.command.query import Query


class Evaluation(Mapping[str, Any]):
    """The results of a model by name, as a mapping and as attributes.

    Times are in seconds, rates in bit/s; None is an undefined number. If a key has several values,
    results are lists with one entry for each.
    """

    def __init__(self, query: Query, answer: Answer) -> None:
        self._query = query
        self._values = answer.values(query)
        self.model: str = query.model.name
        """The name of the model."""
        self.inputs: dict[str, Any] = inputs(query)
        """Every key with its value, in seconds, bytes and bit/s."""

    @property
    def assumptions(self) -> list[str]:
        """What the model assumes, a line each."""
        return list(self._query.model.assumptions)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._values:
            raise AttributeError(f"no such result: {name}; there are {', '.join(self)}")
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        return f"<{self.model}: {', '.join(f'{name} = {_short(self[name])}' for name in self)}>"

    def _repr_html_(self) -> str:
        varied = self._query.varied
        names = [name for name in self if name != "state_probabilities"]
        lines = assumptions(
            self._query.model,
            self.inputs,
            self._query.given,
            varied.name if varied else None,
        )
        text = markup.heading(title(self._query.model)) + markup.preformatted("\n".join(lines))
        if varied is None:
            return text + markup.table(("", ""), [(name, self[name]) for name in names])
        columns = (self._query.values, *(self[name] for name in names))
        return text + markup.table((varied.name, *names), zip(*columns, strict=True))


def names() -> dict[str, str]:
    """Return the models that `evaluate` knows: what each is of, by name."""
    return {name: model.summary for name, model in MODELS.items()}


def describe(name: str) -> str:
    """Return what a model assumes, its keys with their defaults, and its results, as text.

    Raises ModelError if there is no such model.
    """
    model = _model(name)
    return "\n".join(description(model, inputs(make_query(model, {}))))


def evaluate(name: str, /, **keys: Any) -> Evaluation:
    """Evaluate a model, with the names and keys of `evenair model`.

    `evaluate("session-delay", stations=[10, 40], think="10 s", size="30 KB")`. Values are numbers
    in seconds, bytes and bit/s, or texts with a unit; one key may have several values. `names`
    lists the models, `describe` their keys. Raises ModelError.
    """
    query = make_query(_model(name), keys)
    return Evaluation(query, evaluate_query(query))


def _model(name: str) -> Model:
    check_known("model", str(name), MODELS)
    return MODELS[name]


def _short(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_short, value[:3]))}{', ...' if len(value) > 3 else ''}]"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
