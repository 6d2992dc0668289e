// The built-in scenarios.
import { signal } from "@preact/signals";

interface BuiltIn {
  name: string;
  toml: string;
}

export const builtIns = signal<BuiltIn[]>([]);

export async function loadBuiltIns(): Promise<void> {
  const response = await fetch("scenarios.json").catch(() => undefined);
  if (!response?.ok) {
    throw new Error("scenarios.json could not be loaded: is the page's server still there?");
  }
  builtIns.value = (await response.json()) as BuiltIn[];
}
