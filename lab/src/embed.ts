// Live figures on pages of the documentation, docs/_ext/evenair_lab.py. A page with this script loads nothing
// else until a figure comes into view; where the visitor saves data, until its button is pressed.
import type { show } from "./embed/figure.tsx";

const BASE = import.meta.url;

const elements = document.querySelectorAll<HTMLElement>(".evenair-figure");
for (const element of elements) prepare(element);
if (elements.length > 0) followTheme();

function prepare(element: HTMLElement): void {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Run it here";
  button.addEventListener("click", () => start(element, button));
  element.append(button);
  if (savesData()) return;
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    start(element, button);
  });
  observer.observe(element);
}

async function start(element: HTMLElement, button: HTMLButtonElement): Promise<void> {
  if (button.disabled) return;
  button.disabled = true;
  try {
    const module = (await import(new URL("figure.js", BASE).href)) as { show: typeof show };
    await loadStyle();
    button.remove();
    module.show(element, BASE);
  } catch {
    button.disabled = false;
    button.textContent = "The figure could not be loaded. Try again";
  }
}

let style: Promise<void> | undefined;

function loadStyle(): Promise<void> {
  style ??= new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL("figure.css", BASE).href;
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => {
      style = undefined;
      link.remove();
      reject(new Error("figure.css"));
    });
    document.head.append(link);
  });
  return style;
}

function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  return connection?.saveData ?? false;
}

/** The site's switch sets `<body data-theme>`; pictures go by the root element. */
function followTheme(): void {
  const root = document.documentElement;
  const follow = () => {
    const theme = document.body.dataset["theme"];
    if (theme === "light" || theme === "dark") root.dataset["theme"] = theme;
    else delete root.dataset["theme"];
  };
  follow();
  new MutationObserver(follow).observe(document.body, { attributeFilter: ["data-theme"] });
}
