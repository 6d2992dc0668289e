// Gives a control one value after the other, beginning with a text; returns what follows each time. The events
// are those of a hand, and it does not matter whether the control's group is open.
async ([toml, key, values]) => {
  const editor = observedLab.editor();
  const text = () => editor.state.doc.toString();
  if (text() !== toml) {
    editor.dispatch({ changes: { from: 0, to: text().length, insert: toml } });
    await observedLab.outcome();
  }
  const moves = [];
  for (const value of values) {
    const [before, runs] = [text(), observedLab.runs];
    const field = document.querySelector(`.control[data-key="${key}"] :is(input, select)`);
    if (field.disabled) throw new Error(`${key} is disabled`);
    if (field.type === "checkbox") {
      field.click();
    } else {
      field.value = value;
      for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
    }
    const outcome = await observedLab.outcome();
    moves.push({
      value,
      outcome,
      before,
      after: text(),
      runs: observedLab.runs - runs,
      summary: [...document.querySelectorAll(".summary dd")].map((number) => number.innerText),
      controls: observedLab.controls(),
    });
    if (outcome !== "picture") {
      const close = [...document.querySelectorAll("button")].find(({ innerText }) => innerText === "Close");
      if (!close) throw new Error(`${key} to ${value}: ${outcome}`);
      close.click();
    }
  }
  return moves;
};
