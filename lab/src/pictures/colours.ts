// The colours of pictures by their meaning: the custom properties of colours.css.

export type Colour =
  | "up"
  | "down"
  | "wired"
  | "both"
  | "payload"
  | "overhead"
  | "collision"
  | "corrupted"
  | "idle"
  | "a"
  | "b"
  | "rate"
  | "capacity"
  | "text"
  | "muted"
  | "grid"
  | "background";

export function cssColour(colour: Colour): string {
  return `var(--picture-${colour})`;
}

/** The present value of a colour below `element`, for a canvas. */
export function computedColour(element: Element, colour: Colour): string {
  const probe = document.createElement("span");
  probe.style.color = cssColour(colour);
  element.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
