// Where scenarios come from: the built-in ones and files.
import { useId, useRef } from "preact/hooks";
import { builtIns } from "../state/built-ins.ts";
import { describe } from "../state/describe.ts";
import { notice, open, toml } from "../state/store.ts";

/** Longer files are no scenarios. */
const LIMIT_BYTES = 1_000_000;

/** Opens a scenario file. */
export async function openFile(file: File): Promise<void> {
  try {
    if (file.size > LIMIT_BYTES) {
      throw new Error(`${file.name}: ${file.size} bytes; a scenario has at most ${LIMIT_BYTES}`);
    }
    const decoder = new TextDecoder("utf-8", { fatal: true });
    await open(decoder.decode(await file.arrayBuffer()));
  } catch (error) {
    const text = error instanceof TypeError ? `${file.name}: not a text file` : describe(error);
    notice.value = { text, isError: true };
  }
}

export function Picker() {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const present = builtIns.value.find((scenario) => scenario.toml === toml.value);
  return (
    <div class="picker">
      <label for={id}>Scenario</label>
      <select
        id={id}
        value={present?.name ?? ""}
        onChange={(event) => {
          const name = event.currentTarget.value;
          const chosen = builtIns.value.find((scenario) => scenario.name === name);
          if (chosen) void open(chosen.toml);
        }}
      >
        {!present && <option value="">changed</option>}
        {builtIns.value.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <button type="button" onClick={() => input.current!.click()}>
        Open file…
      </button>
      <input
        ref={input}
        type="file"
        accept=".toml,text/plain"
        aria-label="Scenario file"
        hidden
        onChange={(event) => {
          const field = event.currentTarget;
          const file = field.files?.[0];
          field.value = ""; // so that the same file can be opened again
          if (file) void openFile(file);
        }}
      />
    </div>
  );
}
