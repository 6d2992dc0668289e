// What runs beside the page: sweeps that it has started, and what `evenair lab --follow` names.
import { useEffect, useState } from "preact/hooks";
import type { CampaignProps } from "../campaign/explorer.tsx";
import type { About, Server } from "../engine/server.ts";
import { GatewayView } from "./gateway-view.tsx";
import type { OwnSweep } from "./own-sweep.tsx";
import { SweepForm } from "./sweep-form.tsx";
import { SweepView } from "./sweep-view.tsx";
import { TestbedView } from "./testbed-view.tsx";
import "./live.css";

interface Props extends CampaignProps {
  server: Server;
  /** The scenario that is swept. */
  toml: string;
}

/** What is shown: the path of its stream. */
type Path = string;

export function LivePanel({ server, toml, openPoint }: Props) {
  const about = server.about.value;
  const [sweeps, setSweeps] = useState<OwnSweep[]>([]);
  const [chosen, setChosen] = useState<Path | null>(null);
  const list = async () => {
    try {
      const found = (await (await server.fetch("campaigns")).json()) as OwnSweep[];
      setSweeps(found);
    } catch {
      // The page says that the server is away.
    }
  };
  const isConnected = server.state.value === "connected";
  useEffect(() => {
    if (isConnected) void list();
  }, [server, isConnected]);
  const choices = choicesOf(about, sweeps);
  const choice = choices.find(({ path }) => path === chosen) ?? choices[0];
  return (
    <section class="live" aria-label="Live">
      <SweepForm
        server={server}
        toml={toml}
        onStart={(sweep) => {
          setSweeps((all) => [...all, sweep]);
          setChosen(`campaigns/${sweep.number}`);
        }}
      />
      {choices.length > 0 ? (
        <label class="live-choice">
          Show
          <select
            value={choice?.path}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          >
            {choices.map((each) => (
              <option key={each.path} value={each.path} selected={each === choice}>
                {each.text}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <p class="hint">
          <code>evenair lab --follow SOURCE</code> shows here what runs on this machine: a sweep (
          <code>FILE.parquet</code>), a test-bed (<code>testbed</code>), or the metrics of a gateway
          daemon (<code>HOST:PORT</code>).
        </p>
      )}
      {choice?.kind === "sweep" && (
        <SweepView
          key={choice.path}
          server={server}
          path={choice.path}
          name={choice.text}
          {...(choice.sweep && { own: choice.sweep })}
          onRemove={list}
          openPoint={openPoint}
        />
      )}
      {choice?.kind === "testbed" && (
        <TestbedView key={choice.path} server={server} path={choice.path} />
      )}
      {choice?.kind === "gateway" && (
        <GatewayView key={choice.path} server={server} path={choice.path} />
      )}
    </section>
  );
}

interface Choice {
  path: Path;
  kind: About["live"][number]["kind"];
  text: string;
  sweep?: OwnSweep;
}

const KINDS = { sweep: "sweep", testbed: "test-bed", gateway: "gateway daemon" };

function choicesOf({ live }: About, sweeps: OwnSweep[]): Choice[] {
  return [
    ...sweeps.map((sweep) => ({
      path: `campaigns/${sweep.number}`,
      kind: "sweep" as const,
      text: `Sweep ${sweep.number} of the page, ${sweep.name}`,
      sweep,
    })),
    ...live.map(({ kind, name }, number) => ({
      path: `live/${number}`,
      kind,
      text: kind === "testbed" ? "The test-bed of this machine" : `${name} (${KINDS[kind]})`,
    })),
  ];
}
