// Light or dark: what the system has, or what was chosen. `<html data-theme>` always has the one that
// is shown; style sheets go by it.
import { effect, signal } from "@preact/signals";

export type Choice = "system" | "light" | "dark";

const KEY = "evenair-lab-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

export const choice = signal<Choice>(stored());

export function watchTheme(): void {
  const isDark = signal(dark.matches);
  dark.addEventListener("change", () => (isDark.value = dark.matches));
  effect(() => {
    const system = isDark.value ? "dark" : "light";
    document.documentElement.dataset["theme"] = choice.value === "system" ? system : choice.value;
    store(choice.value);
  });
}

// A browser may refuse storage; the choice then lasts as long as the page.
function stored(): Choice {
  try {
    const text = localStorage.getItem(KEY);
    return text === "light" || text === "dark" ? text : "system";
  } catch {
    return "system";
  }
}

function store(text: Choice): void {
  try {
    if (text === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, text);
  } catch {
    return;
  }
}
