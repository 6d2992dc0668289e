// Changes the scenario of the page as a hand would, but at once, and whether or not a group is open: a control
// is moved, or a line of the text is removed, doubled or moved, a number changed, or rubbish put in. Of each
// change the numbers are random, from 0 to 1.
async ([changes, words]) => {
  const move = (index, share) => {
    const all = [...document.querySelectorAll(".control :is(input, select):not(:disabled)")];
    if (all.length === 0) return;
    const field = all[Math.floor(index * all.length)];
    if (field.type === "checkbox") {
      field.click();
    } else if (field.tagName === "SELECT") {
      field.selectedIndex = Math.floor(share * field.options.length);
      field.dispatchEvent(new Event("change", { bubbles: true }));
    } else {
      const isRange = field.type === "range";
      field.value = isRange ? Math.round(share * field.max) : String(1000 * share);
      field.dispatchEvent(new Event(isRange ? "input" : "change", { bubbles: true }));
    }
  };
  const mutated = (text, kind, first, second) => {
    const lines = text.split(/(?<=\n)/);
    const letters = [...text];
    const at = Math.floor(first * lines.length);
    const place = Math.floor(first * (letters.length + 1));
    const numbers = [...text.matchAll(/\d+/g)];
    switch (Math.floor(6 * kind)) {
      case 0:
        lines.splice(at, 1);
        return lines.join("");
      case 1:
        lines.splice(at, 0, lines[at]);
        return lines.join("");
      case 2: {
        const [line] = lines.splice(at, 1);
        lines.splice(Math.floor(second * (lines.length + 1)), 0, line);
        return lines.join("");
      }
      case 3: {
        if (numbers.length === 0) return text;
        const { index, 0: digits } = numbers[Math.floor(first * numbers.length)];
        const number = Math.floor(10 ** (6 * second));
        return text.slice(0, index) + number + text.slice(index + digits.length);
      }
      case 4:
        letters.splice(place, 0, words[Math.floor(second * words.length)]);
        return letters.join("");
      default:
        letters.splice(place, Math.floor(second * 20));
        return letters.join("");
    }
  };
  const editor = observedLab.editor();
  for (const { isMove, numbers, pause } of changes) {
    if (isMove) {
      move(...numbers);
    } else {
      const { doc } = editor.state;
      const insert = mutated(doc.toString(), ...numbers);
      editor.dispatch({ changes: { from: 0, to: doc.length, insert } });
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
};
