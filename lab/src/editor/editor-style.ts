// The editor in the colours of the page.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const frame = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--field)", fontSize: "0.8125rem" },
  "&.cm-focused": { outline: "2px solid var(--focus)" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": {
    color: "var(--ink-2)",
    backgroundColor: "var(--surface)",
    borderRight: "1px solid var(--line)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  ".cm-selectionBackground, ::selection": { backgroundColor: "var(--selection)" },
  ".cm-tooltip": {
    color: "var(--ink)",
    backgroundColor: "var(--surface)",
    border: "1px solid var(--line)",
  },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--ink-2)", fontStyle: "italic" },
  { tag: tags.propertyName, color: "var(--code-key)" },
  { tag: tags.string, color: "var(--code-text)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--code-number)" },
]);

export const tomlStyle = [frame, syntaxHighlighting(colours)];
