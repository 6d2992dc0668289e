// Canvases have to be drawn again when the theme changes, by the system or by the page's switch.

/** Calls `changed` after each change; returns how to stop. */
export function onThemeChange(changed: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", changed);
  const page = new MutationObserver(changed);
  page.observe(document.documentElement, {
    attributes: true,
    attributeFilter: ["class", "style", "data-theme"],
  });
  return () => {
    system.removeEventListener("change", changed);
    page.disconnect();
  };
}
