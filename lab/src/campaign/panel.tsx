// A campaign's file as a picture to explore: any metric over any key, and the scenario of each point.
import { useState } from "preact/hooks";
import { Explorer, type CampaignProps } from "./explorer.tsx";
import { exploration, openCampaign, problem } from "./store.ts";

export function CampaignPanel({ openPoint }: CampaignProps) {
  const [isOver, setOver] = useState(false);
  return (
    <section
      class={isOver ? "campaign is-over" : "campaign"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation(); // the page takes a dropped file for a scenario
        setOver(false);
        const dropped = event.dataTransfer?.files[0];
        if (dropped) void openCampaign(dropped);
      }}
    >
      <h2>Campaign</h2>
      <label class="campaign-file">
        A table of <code>evenair sweep</code>, chosen or dropped here (.parquet)
        <input
          type="file"
          accept=".parquet"
          onChange={({ currentTarget }) => {
            const chosen = currentTarget.files?.[0];
            if (chosen) void openCampaign(chosen);
          }}
        />
      </label>
      {problem.value && (
        <p class="campaign-problem" role="alert">
          {problem.value}
        </p>
      )}
      {exploration.value && <Explorer {...exploration.value} openPoint={openPoint} />}
    </section>
  );
}
