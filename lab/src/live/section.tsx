// The section of the page for what its server follows.
import { toml } from "../state/store.ts";
import { openPoint } from "../campaign/section.tsx";
import { server } from "./current.ts";
import { LivePanel } from "./panel.tsx";

export function LiveSection() {
  return (
    server.value && <LivePanel server={server.value} toml={toml.value} openPoint={openPoint} />
  );
}
