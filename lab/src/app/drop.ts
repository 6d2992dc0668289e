// Files that are dropped on the page: campaigns (.parquet), and scenarios.
import { signal } from "@preact/signals";
import { openCampaign } from "../campaign/store.ts";
import { openFile } from "../editor/picker.tsx";
import { section } from "../state/navigation.ts";

/** Whether a file is over the page. */
export const isOver = signal(false);

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
    if (file.name.endsWith(".parquet")) {
      section.value = "campaign";
      void openCampaign(file);
    } else {
      void openFile(file);
    }
  });
}
