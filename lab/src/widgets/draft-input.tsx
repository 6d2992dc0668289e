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
  /** Lines of a text that may be longer than one; Enter commits it as well. */
  rows?: number;
}

export function DraftInput({ value, onCommit, rows = 1, ...others }: Props) {
  const [draft, setDraft] = useState<string | null>(null);
  const commit = async (typed: string) => {
    await onCommit(typed);
    setDraft((draft) => (draft === typed ? null : draft)); // what was typed since then stays
  };
  const common = {
    spellcheck: false,
    value: draft ?? value,
    onBlur: () => setDraft(null),
  };
  if (rows > 1) {
    const { class: name, disabled } = others;
    return (
      <textarea
        {...common}
        {...(name !== undefined && { class: name })}
        {...(disabled !== undefined && { disabled })}
        aria-label={others["aria-label"]}
        rows={rows}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onChange={(event) => void commit(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          void commit(event.currentTarget.value);
        }}
      />
    );
  }
  return (
    <input
      {...others}
      {...common}
      autocomplete="off"
      onInput={(event) => setDraft(event.currentTarget.value)}
      onChange={(event) => void commit(event.currentTarget.value)}
    />
  );
}
