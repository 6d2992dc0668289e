// The text of the scenario, with the error at its line.
import { defaultKeymap, history, historyKeymap, redo, undo, undoDepth } from "@codemirror/commands";
import { StreamLanguage } from "@codemirror/language";
import { toml as tomlMode } from "@codemirror/legacy-modes/mode/toml";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { Annotation, EditorState, Transaction, type ChangeSpec } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { describe } from "../state/describe.ts";
import { open, problem, toml } from "../state/store.ts";
import type { EngineError } from "../engine/engine.ts";
import { tomlStyle } from "./editor-style.ts";

/** Marks a change that comes from the page. */
const fromPage = Annotation.define<true>();

export function Editor() {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  useEffect(() => {
    const view = new EditorView({ parent: host.current!, state: newState() });
    editor.current = view;
    const stopText = effect(() => show(view, toml.value));
    const stopProblem = effect(() => mark(view, problem.value));
    return () => {
      stopText();
      stopProblem();
      view.destroy();
    };
  }, []);
  return (
    <section class="editor" aria-label="Scenario as TOML">
      <div class="toolbar">
        <h2>TOML</h2>
        <button type="button" onClick={() => undo(editor.current!)}>
          Undo
        </button>
        <button type="button" onClick={() => redo(editor.current!)}>
          Redo
        </button>
      </div>
      {problem.value && (
        <p class="message error" role="alert">
          {problem.value.line !== undefined && `Line ${problem.value.line}: `}
          {describe(problem.value)}
        </p>
      )}
      <div ref={host} />
    </section>
  );
}

function newState(): EditorState {
  return EditorState.create({
    doc: toml.peek(),
    extensions: [
      lineNumbers(),
      history(),
      keymap.of([...defaultKeymap, ...historyKeymap]),
      StreamLanguage.define(tomlMode),
      tomlStyle,
      lintGutter(),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": "Scenario, TOML text" }),
      EditorView.updateListener.of((update) => {
        const isFromPage = update.transactions.some((part) => part.annotation(fromPage));
        if (update.docChanged && !isFromPage) void open(update.state.doc.toString());
      }),
    ],
  });
}

/** Replaces what differs, so that cursor and scroll position stay. */
function show(view: EditorView, text: string): void {
  const before = view.state.doc.toString();
  const after = view.state.toText(text).toString(); // with the editor's ends of lines
  if (before === after) return;
  // The page without a scenario is nothing to go back to.
  const isFirst = before === "" && undoDepth(view.state) === 0;
  view.dispatch({
    changes: difference(before, after),
    annotations: [fromPage.of(true), Transaction.addToHistory.of(!isFirst)],
  });
}

function difference(before: string, after: string): ChangeSpec {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return {
    from: start,
    to: before.length - end,
    insert: after.slice(start, after.length - end),
  };
}

function mark(view: EditorView, error: EngineError | null): void {
  const diagnostics: Diagnostic[] = [];
  if (error) {
    const { doc } = view.state;
    const line = doc.line(Math.min(Math.max(error.line ?? 1, 1), doc.lines));
    diagnostics.push({
      from: line.from,
      to: line.to,
      severity: "error",
      message: describe(error),
    });
  }
  view.dispatch(setDiagnostics(view.state, diagnostics));
}
