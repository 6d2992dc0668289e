// Files that are dropped on the page.
import { signal } from "@preact/signals";
import { openFile } from "../editor/picker.tsx";

/** Whether a file is over the page. */
export const isOver = signal(false);

/** Who takes a file, by the end of its name; every other file is a scenario. */
export const takers = new Map<string, (file: File) => Promise<void>>();

export function watchDrops(): void {
  const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    isOver.value = true;
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) isOver.value = false;
  });
  addEventListener("drop", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    isOver.value = false;
    const file = event.dataTransfer!.files[0];
    if (!file) return;
    const ending = file.name.slice(file.name.lastIndexOf("."));
    void (takers.get(ending) ?? openFile)(file);
  });
}
