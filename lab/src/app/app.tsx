// The page: controls and text on the left, the cell and pictures on the right; on a narrow screen the cell, controls,
// pictures and text below each other.
import { Cell } from "../cell/cell.tsx";
import { ControlPanel } from "../editor/control-panel.tsx";
import { Editor } from "../editor/editor.tsx";
import { Picker } from "../editor/picker.tsx";
import { server } from "../live/current.ts";
import { ServerStatus } from "../live/server-status.tsx";
import { Comparison } from "../panels/comparison.tsx";
import { Seeds } from "../panels/seeds.tsx";
import { Summary } from "../panels/summary.tsx";
import { TourPanel } from "../tours/panel.tsx";
import { isOver } from "./drop.ts";
import { failure, notice, retry } from "../state/store.ts";
import { Tabs } from "./tabs.tsx";
import { choice, type Choice } from "./theme.ts";

export function App() {
  return (
    <>
      <header class="bar">
        <h1>evenair lab</h1>
        <Picker />
        <Seeds />
        <ThemeSwitch />
      </header>
      {server.value && <ServerStatus server={server.value} />}
      <Messages />
      <main>
        <aside aria-label="Scenario">
          <ControlPanel />
          <Editor />
        </aside>
        <div class="results">
          <div class="head">
            <Summary />
            <Comparison />
          </div>
          <Cell />
          <TourPanel />
          <Tabs />
        </div>
      </main>
      {isOver.value && <div class="drop">Drop the scenario</div>}
    </>
  );
}

function ThemeSwitch() {
  return (
    <label class="theme">
      Theme
      <select
        value={choice.value}
        onChange={(event) => (choice.value = event.currentTarget.value as Choice)}
      >
        <option value="system">system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  );
}

function Messages() {
  return (
    <div class="messages">
      {notice.value && (
        <p
          class={`message ${notice.value.isError ? "error" : "note"}`}
          role={notice.value.isError ? "alert" : "status"}
        >
          {notice.value.text}
          <button type="button" onClick={() => (notice.value = null)}>
            Close
          </button>
        </p>
      )}
      {failure.value && (
        <p class="message error" role="alert">
          {failure.value}
          <button type="button" onClick={retry}>
            Run again
          </button>
        </p>
      )}
    </div>
  );
}
