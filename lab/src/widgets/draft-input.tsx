// An input whose text stays as it is typed, whatever the page does meanwhile.
import { useState } from "preact/hooks";

interface Props {
  type: "text" | "number";
  value: string;
  /** Takes what was typed; then the input shows `value` again. */
  onCommit: (typed: string) => void | Promise<void>;
  "aria-label"?: string;
  class?: string;
  disabled?: boolean;
  list?: string;
  min?: number;
  max?: number;
}

export function DraftInput({ value, onCommit, ...others }: Props) {
  const [draft, setDraft] = useState<string | null>(null);
  const commit = async (typed: string) => {
    await onCommit(typed);
    setDraft((draft) => (draft === typed ? null : draft)); // what was typed since then stays
  };
  return (
    <input
      {...others}
      spellcheck={false}
      autocomplete="off"
      value={draft ?? value}
      onInput={(event) => setDraft(event.currentTarget.value)}
      onChange={(event) => void commit(event.currentTarget.value)}
      onBlur={() => setDraft(null)}
    />
  );
}
