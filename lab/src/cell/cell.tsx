// What the page opens with: one sentence on the result, and the cell in a drawing that moves with the run.
import { useMemo, useRef } from "preact/hooks";
import { formatRate } from "../panels/format.ts";
import { AreaSwatch } from "../pictures/common/marks.tsx";
import { downlinkSender, type View } from "../pictures/view.ts";
import { section } from "../state/navigation.ts";
import { pinned, view } from "../state/store.ts";
import { TOURS } from "../tours/tour.ts";
import { visit } from "../tours/panel.tsx";
import { useWidth } from "../widgets/width.ts";
import "./cell.css";
import type { Dots } from "./dots.ts";
import { headline } from "./headline.ts";
import { layoutOf } from "./layout.ts";
import { fairShare, nodesOf } from "./nodes.ts";
import { usePlaying } from "./player.ts";
import { dropsOf, roomOf, type Moment } from "./replay.ts";
import { Scene, type Moving } from "./scene.tsx";

export function Cell() {
  const shown = view.value;
  if (!shown || shown.runs.length === 0) return null;
  return (
    <section class={`cell${shown.isStale ? " is-stale" : ""}`} aria-label="The cell">
      {pinned.value && <Sentence view={pinned.value} isLabelled />}
      <Sentence view={shown} isLabelled={pinned.value !== null} />
      <Drawing view={shown} />
    </section>
  );
}

function Sentence({ view, isLabelled }: { view: View; isLabelled: boolean }) {
  const said = useMemo(() => headline(view.runs), [view.runs]);
  if (!said) return null;
  const tour = TOURS.find(({ name }) => name === said.tour);
  return (
    <p class="headline">
      {isLabelled && <span class="label">{view.label}</span>} {said.text}{" "}
      <button
        type="button"
        class="link"
        onClick={() => (tour ? visit(tour) : (section.value = "tours"))}
      >
        {tour ? "Take the tour about this" : "Take a guided tour"}
      </button>
    </p>
  );
}

function Drawing({ view }: { view: View }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const { result } = view.runs[0]!;
  const nodes = useMemo(() => nodesOf(view), [view]);
  const layout = useMemo(() => layoutOf(width, nodes.length), [width, nodes.length]);
  const room = useMemo(() => roomOf(result), [result]);
  const time = useRef<HTMLSpanElement>(null);
  const moving: Moving = {
    data: useRef<SVGRectElement>(null),
    acks: useRef<SVGRectElement>(null),
    words: useRef<SVGTextElement>(null),
    dots: {
      up: useRef<SVGPathElement>(null),
      down: useRef<SVGPathElement>(null),
      ack: useRef<SVGPathElement>(null),
      dropped: useRef<SVGPathElement>(null),
    },
  };
  const draw = (moment: Moment, dots: Dots) => {
    const { left, right } = layout.queue;
    const scale = (right - left) / room.packets;
    const [data, acks] = [moment.data * scale, moment.acks * scale];
    span(moving.data.current, right - data, data);
    span(moving.acks.current, right - data - acks, acks);
    const held = moment.data + moment.acks;
    const packets = held < 10 ? held.toFixed(1) : held.toFixed(0);
    if (moving.words.current) {
      moving.words.current.textContent = `queue ${packets}${room.limit === null ? "" : ` of ${room.limit}`}${
        held > 0 ? `, ${((100 * moment.acks) / held).toFixed(0)}% ACKs` : ""
      }`;
    }
    for (const kind of ["up", "down", "ack", "dropped"] as const) {
      moving.dots[kind].current?.setAttribute("d", dots.path(kind));
    }
    if (time.current) {
      time.current.textContent =
        moment.time === null
          ? "means of the run"
          : `at ${moment.time.toFixed(1)} s of ${duration} s`;
    }
  };
  const duration = Number(result.duration_s.toFixed(1));
  const { isPlaying, toggle } = usePlaying(
    result,
    view.toml,
    nodes,
    layout,
    () => box.current,
    draw,
  );
  const sender = downlinkSender(view);
  const hasUp = nodes.some(({ up }) => up.length > 0);
  const hasDown = nodes.some(({ down }) => down.length > 0);
  return (
    <div class="cell-drawing" data-playing={isPlaying}>
      <div ref={box} role="img" aria-label={wordsOf(view, sender)}>
        {width > 0 && (
          <Scene
            layout={layout}
            nodes={nodes}
            sender={sender}
            wire={wireOf(view)}
            losses={lossesOf(view, layout.isNarrow)}
            fairBps={fairShare(result)}
            moving={moving}
          />
        )}
      </div>
      <div class="cell-foot">
        <button
          type="button"
          aria-label={isPlaying ? "Pause the run" : "Play the run"}
          onClick={toggle}
        >
          {isPlaying ? "Pause" : "Play"}
        </button>
        <span ref={time} class="cell-time" aria-hidden="true" />
        <ul class="cell-keys" aria-hidden="true">
          {hasUp && <Key kind="up">uploads</Key>}
          {hasDown && <Key kind="down">downloads</Key>}
          {hasUp && (
            <li>
              <AreaSwatch id="cell-key" colour="up" side="b" /> ACKs of uploads
            </li>
          )}
          <Key kind="dropped">dropped</Key>
        </ul>
        <span class="cell-links">
          <button type="button" class="link" onClick={() => (section.value = "why")}>
            Why
          </button>
          <button type="button" class="link" onClick={() => (section.value = "air-trace")}>
            Frame by frame
          </button>
        </span>
      </div>
    </div>
  );
}

function Key({ kind, children }: { kind: string; children: string }) {
  return (
    <li>
      <svg width="10" height="10">
        <path class={`cell-dots is-${kind}`} d="M5 5h0" />
      </svg>{" "}
      {children}
    </li>
  );
}

function span(rect: SVGRectElement | null, x: number, width: number): void {
  rect?.setAttribute("x", x.toFixed(1));
  rect?.setAttribute("width", Math.max(width, 0).toFixed(1));
}

/** The rate of the wire; null where there are links of their own. */
function wireOf(view: View): string | null {
  const wired = view.runs[0]!.result.scenario["wired"] as { rate?: unknown } | undefined;
  return typeof wired?.rate === "number" ? formatRate(wired.rate) : null;
}

/** Shares of drops that are not worth a number. */
const FEW = 0.0005;

/** "drops 7.1% of data, 3.1% of ACKs", in lines. */
function lossesOf(view: View, isNarrow: boolean): string[] {
  const { data, acks } = dropsOf(view.runs[0]!.result);
  if (Math.max(data, acks) < FEW)
    return [data + acks > 0 ? "drops next to nothing" : "drops nothing"];
  const percent = (share: number) => `${Number((100 * share).toPrecision(2))}%`;
  const parts = [
    ...(data > 0 ? [`${percent(data)} of data`] : []),
    ...(acks > 0 ? [`${percent(acks)} of ACKs`] : []),
  ];
  return isNarrow ? [`drops ${parts[0]}`, ...parts.slice(1)] : [`drops ${parts.join(", ")}`];
}

/** The drawing for those who do not see it. */
function wordsOf(view: View, sender: string): string {
  const { ap_queue } = view.runs[0]!.result;
  const acks = ap_queue.mean_packets > 0 ? ap_queue.mean_acks / ap_queue.mean_packets : 0;
  const stations = nodesOf(view).map(
    ({ name, value, isStarved }) => `${name} ${value}${isStarved ? ", which is little" : ""}`,
  );
  return `Servers, a wire, the ${sender} and its stations. The queue of the ${sender} holds ${ap_queue.mean_packets.toFixed(1)} packets, ${(100 * acks).toFixed(0)}% of them ACKs. ${stations.join("; ")}.`;
}
