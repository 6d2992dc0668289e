// Times of the page, for measurements: `evenair:change` when something is changed, `evenair:picture`
// when the picture of it is on the screen.

export function mark(name: "change" | "picture"): void {
  if (name === "change") {
    set(name);
  } else {
    // The second frame begins when the first one, which has the picture, is painted.
    requestAnimationFrame(() => requestAnimationFrame(() => set(name)));
  }
}

function set(name: string): void {
  performance.clearMarks(`evenair:${name}`); // marks are kept for the life of the page
  performance.mark(`evenair:${name}`);
}
