// Says on the page where its runs are made, and whether `evenair lab` answers.
import type { Server } from "../engine/server.ts";

export function ServerStatus({ server }: { server: Server }) {
  const { version, parallel } = server.about.value;
  const processors = parallel === 1 ? "one processor" : `${parallel} processors`;
  const texts = {
    connected: `Runs are made by evenair ${version} on ${processors}.`,
    stopped: "evenair lab does not answer. This browser makes the runs until it is back.",
    refused:
      "evenair lab was started again. Open the address that it has printed; until then this browser" +
      " makes the runs.",
  };
  const state = server.state.value;
  return (
    <p role="status" class={state === "connected" ? "server hint" : "server message note"}>
      {texts[state]}
    </p>
  );
}
