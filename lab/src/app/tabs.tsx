// The tabs of the sections: one is shown. Arrow keys, Home and End move between tabs.
import { section } from "../state/navigation.ts";
import { sections } from "./sections.tsx";

export function Tabs() {
  const index = Math.max(
    sections.findIndex(({ id }) => id === section.value),
    0,
  );
  const { id, Content } = sections[index]!;
  const move = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return; // the browser's own
    const last = sections.length - 1;
    const to = {
      ArrowRight: index === last ? 0 : index + 1,
      ArrowLeft: index === 0 ? last : index - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    section.value = sections[to]!.id;
    document.getElementById(`tab-${sections[to]!.id}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label="Sections" onKeyDown={move}>
        {sections.map((tab, place) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`tab-${tab.id}`}
            aria-selected={place === index}
            aria-controls="section"
            tabIndex={place === index ? 0 : -1}
            onClick={() => (section.value = tab.id)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div id="section" class="section" role="tabpanel" aria-labelledby={`tab-${id}`} tabIndex={0}>
        <Content key={id} />
      </div>
    </>
  );
}
