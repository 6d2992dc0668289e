// Take it with you.
import { useSignal, useSignalEffect } from "@preact/signals";
import { csv, save } from "../pictures/index.ts";
import { builtIns } from "../state/built-ins.ts";
import { describe } from "../state/describe.ts";
import { fragment } from "../state/navigation.ts";
import { firstSeed, scenario, seeds, toml, view } from "../state/store.ts";
import { commandLine, python } from "./export/code.ts";
import { resultJson } from "./export/json.ts";
import { parquet } from "./export/parquet.ts";
import { flowRows, stationRows } from "./export/rows.ts";

export function ExportPanel() {
  const said = useSignal("");
  const say = (what: string) => (said.value = what);
  const copy = async (text: string, what: string) => {
    try {
      // Browsers have no clipboard for pages that come over a network without encryption.
      if (!navigator.clipboard) throw new Error("select the text, and copy it from there");
      await navigator.clipboard.writeText(text);
      say(`${what} copied.`);
    } catch (error) {
      say(`The browser did not copy: ${describe(error)}`);
    }
  };
  const link = useSignal("");
  const address = async () => {
    const { origin, pathname } = location; // without a server's token
    return `${origin}${pathname}${await fragment()}`;
  };
  useSignalEffect(() => {
    let isPresent = true;
    void address().then((own) => isPresent && (link.value = own));
    return () => (isPresent = false);
  });
  const builtIn = builtIns.value.find((each) => each.toml === toml.value)?.name;
  const present = { builtIn, toml: toml.value, seed: firstSeed.value, runs: seeds.value };
  const stem = builtIn ?? "scenario";
  const results = view.value?.runs ?? [];
  const tables = [
    { name: "flows", rows: () => flowRows(results) },
    { name: "stations", rows: () => stationRows(results) },
  ];
  const hasResults = results.length > 0 && !view.value?.isStale;
  return (
    <div class="export">
      <section>
        <h2>Link</h2>
        <p>The link holds the scenario and its seeds; nothing is sent to a server.</p>
        <button type="button" onClick={async () => copy(await address(), "Link")}>
          Copy link
        </button>
        <a href={link.value}>Link to this scenario</a>
      </section>
      <section>
        <h2>Scenario</h2>
        <button type="button" onClick={() => void copy(toml.value, "TOML")}>
          Copy TOML
        </button>
        <button
          type="button"
          onClick={() => save(`${stem}.toml`, new Blob([toml.value], { type: "application/toml" }))}
        >
          Download {stem}.toml
        </button>
      </section>
      <section>
        <h2>Command line</h2>
        <Code text={commandLine(present)} label="Command line" onCopy={copy} />
      </section>
      <section>
        <h2>Python</h2>
        <Code text={python(present)} label="Python" onCopy={copy} />
      </section>
      <section>
        <h2>Results of {String(scenario.value?.name ?? "")}</h2>
        <p>
          The runs that are shown: {results.length} {results.length === 1 ? "seed" : "seeds"}.
        </p>
        {tables.map(({ name, rows }) => (
          <div key={name}>
            {name}{" "}
            <button
              type="button"
              aria-label={`${name} as CSV`}
              disabled={!hasResults}
              onClick={() => save(`${name}.csv`, new Blob([csv(rows())], { type: "text/csv" }))}
            >
              CSV
            </button>
            <button
              type="button"
              aria-label={`${name} as Parquet`}
              disabled={!hasResults}
              onClick={() => save(`${name}.parquet`, new Blob([parquet(rows())]))}
            >
              Parquet
            </button>
          </div>
        ))}
        <button
          type="button"
          disabled={!hasResults}
          onClick={() =>
            save("result.json", new Blob([resultJson(results)], { type: "application/json" }))
          }
        >
          Results as JSON
        </button>
        <p class="hint">Each picture has its data and itself as files under “Save”.</p>
      </section>
      <p role="status" class="said">
        {said.value}
      </p>
    </div>
  );
}

function Code(props: {
  text: string;
  label: string;
  onCopy: (text: string, what: string) => Promise<void>;
}) {
  return (
    <>
      <pre tabIndex={0} aria-label={props.label}>
        <code>{props.text}</code>
      </pre>
      <button type="button" onClick={() => void props.onCopy(props.text, props.label)}>
        Copy
      </button>
    </>
  );
}
