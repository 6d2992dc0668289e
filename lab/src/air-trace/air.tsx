// The air during one access: a lane for each node, with its backoff and its frames.
import type {
  AccessPart,
  AirTrace,
  Contender,
  FrameFate,
  TracedAccess,
  TracedFrame,
  TracedPdu,
} from "../engine/result.ts";
import { airLayout, type AirLayout, lanesOf } from "./layout.ts";
import { duration } from "./time.ts";
import { count, nodeLabel, packetClass, packetCode, pduName } from "./names.ts";

const LANE = 26;
const BAR = 18;
const HEAD = 34;
const LABEL = 52;
/** Text of a frame needs so many pixels for each letter. */
const LETTER = 6.6;

export function Air({
  trace,
  access,
  width,
}: {
  trace: AirTrace;
  access: TracedAccess;
  width: number;
}) {
  const lanes = lanesOf(access);
  const layout = airLayout(access, Math.max(200, width - LABEL - 2));
  const height = HEAD + lanes.length * LANE;
  return (
    <svg class="air-trace-lanes" width={width} height={height} aria-hidden="true">
      <Patterns />
      <g transform={`translate(${LABEL} 0)`}>
        <Head access={access} layout={layout} height={height} />
      </g>
      {lanes.map((node, place) => (
        <g key={node} transform={`translate(0 ${HEAD + place * LANE})`}>
          <text class="air-trace-lane-label" x={0} y={LANE / 2 + 4}>
            {nodeLabel(trace, node)}
          </text>
          <line class="air-trace-lane" x1={LABEL} x2={width} y1={LANE} y2={LANE} />
          <g transform={`translate(${LABEL} ${(LANE - BAR) / 2})`}>
            <Lane trace={trace} access={access} layout={layout} node={node} />
          </g>
        </g>
      ))}
    </svg>
  );
}

const PARTS: Record<AccessPart["kind"], string> = {
  difs: "DIFS",
  idle: "idle",
  backoff: "backoff",
  frames: "frames",
  sifs: "SIFS",
  ack: "ACK",
  broadcast: "maps",
  downlink: "downlink",
  gap: "gap",
  ranging: "ranging",
  requests: "requests",
  uplink: "uplink",
};

/** What the parts of the time are, and how long they last. */
function Head(props: { access: TracedAccess; layout: AirLayout; height: number }) {
  const { access, layout, height } = props;
  const { start_ns, end_ns, count: slots } = access.slots;
  return (
    <>
      {access.parts.map((part) => {
        const [from, to] = [layout.timeAt(part.start_ns), layout.timeAt(part.end_ns)];
        const [name, length] = [PARTS[part.kind], duration(part.end_ns - part.start_ns)];
        const slot_ns = (end_ns - start_ns) / slots;
        const number = Math.round((part.end_ns - part.start_ns) / slot_ns);
        const hasSlots = part.kind === "backoff" || part.kind === "requests";
        const long = hasSlots ? [`${name}: ${count(number, "slot")}`] : [];
        return (
          <g key={part.start_ns}>
            <title>
              {[...long, name][0]}, {length}
            </title>
            <rect class="air-trace-hit" x={from} y={0} width={to - from} height={31} />
            {to - from > 2 && <path class="air-trace-part" d={`M${from + 1} 31V27H${to - 1}V31`} />}
            <line class="air-trace-boundary" x1={to} x2={to} y1={27} y2={height} />
            {textIn(from, to, 12, [...long, name])}
            {textIn(from, to, 24, [length])}
          </g>
        );
      })}
    </>
  );
}

/** The first of the texts that has room; none if none has. */
function textIn(from: number, to: number, y: number, texts: string[], name = "air-trace-text") {
  const text = texts.find((text) => text.length * LETTER <= to - from);
  return (
    text && (
      <text class={name} x={(from + to) / 2} y={y} text-anchor="middle">
        {text}
      </text>
    )
  );
}

function Lane(props: { trace: AirTrace; access: TracedAccess; layout: AirLayout; node: number }) {
  const { trace, access, layout, node } = props;
  const contender = access.contenders.find((contender) => contender.node === node);
  const own = access.frames.filter((frame) => frame.from === node);
  return (
    <>
      {contender && <Backoff access={access} contender={contender} layout={layout} />}
      {own.map((frame) => (
        <Frame key={frame.start_ns} trace={trace} layout={layout} frame={frame} />
      ))}
      {contender && !contender.transmits && (
        <Frozen
          trace={trace}
          contender={contender}
          from={layout.timeAt(access.slots.end_ns)}
          to={roomUntil(own, layout)}
        />
      )}
    </>
  );
}

/** The slots that a node has counted, with the number that it had to count. */
function Backoff(props: { access: TracedAccess; contender: Contender; layout: AirLayout }) {
  const { access, contender, layout } = props;
  const { first } = layout;
  const boundary = access.slots.count;
  const from = Math.max(first, contender.from);
  const to = Math.min(boundary, contender.from + contender.before);
  // EIFS, a response timeout, or no packet yet.
  const wait = layout.slotAt(Math.min(boundary, from));
  const before = textIn(
    layout.slotAt(first),
    wait,
    BAR / 2 + 4,
    ["waits"],
    "air-trace-text is-empty",
  );
  if (to <= from) return before || null;
  const [left, right] = [layout.slotAt(from), layout.slotAt(to)];
  const step = layout.slotAt(from + 1) - left;
  const ticks = [];
  for (let slot = from + 1; slot < to && step >= 4; slot++) ticks.push(layout.slotAt(slot));
  const name = contender.has_frame ? "air-trace-backoff" : "air-trace-backoff is-empty";
  return (
    <>
      <rect class={name} x={left} y={3} width={right - left} height={BAR - 6} />
      <path class="air-trace-slots" d={ticks.map((x) => `M${x} 3V${BAR - 3}`).join("")} />
      {textIn(left, right, BAR / 2 + 4, [String(contender.before)], "air-trace-text is-boxed")}
      {before}
    </>
  );
}

/** The place where a node that does not contend begins to answer. */
function roomUntil(own: TracedFrame[], layout: AirLayout): number {
  return own[0] ? layout.timeAt(own[0].start_ns) : layout.width;
}

/** A counter that stands still while others transmit. */
function Frozen(props: { trace: AirTrace; contender: Contender; from: number; to: number }) {
  const { trace, contender, from, to } = props;
  const { after, has_frame } = contender;
  // A backoff for a bandwidth request only counts the slots of its region.
  const state = trace.medium === "wlan" ? "frozen, " : "";
  const texts = has_frame
    ? [`❚❚ ${state}${count(after, "slot")} left`, `❚❚ ${after} left`, `❚❚ ${after}`]
    : [after > 0 ? `${count(after, "slot")} left, no frame` : "no frame", "no frame"];
  const text = texts.find((text) => text.length * LETTER <= to - from) ?? texts[texts.length - 1];
  return (
    <text
      class={has_frame ? "air-trace-text" : "air-trace-text is-empty"}
      x={from + 5}
      y={BAR / 2 + 4}
    >
      {text}
    </text>
  );
}

function Frame(props: { trace: AirTrace; layout: AirLayout; frame: TracedFrame }) {
  const { trace, layout, frame } = props;
  const { carries, pdus, bytes, fate } = frame;
  const [left, right] = [layout.timeAt(frame.start_ns), layout.timeAt(frame.end_ns)];
  if (pdus === 0) {
    const name = fateClass(fate, frame.kind === "burst" ? "is-padding" : "is-control");
    return (
      <Block left={left} right={right} name={name} texts={[frame.kind.toUpperCase()]} fate={fate} />
    );
  }
  // Its packets have parts of it by their bytes; what is left of the last symbol is padding.
  const last = pdus > carries.length ? right : layout.timeAt(carries[carries.length - 1]!.end_ns);
  let before = 0;
  const place = (number: number) => left + (number / bytes) * (last - left);
  return (
    <>
      {last < right && <Block left={last} right={right} name="is-padding" texts={[]} fate={fate} />}
      {carries.map((pdu) => {
        const from = place(before);
        before += pdu.bytes;
        return (
          <Block
            key={from}
            left={from}
            right={place(before)}
            name={fateClass(pdu.fate, packetClass(trace, pdu.packet))}
            texts={pduTexts(trace, frame, pdu)}
            fate={pdu.fate}
          />
        );
      })}
    </>
  );
}

function Block(props: {
  left: number;
  right: number;
  name: string;
  texts: string[];
  fate: FrameFate;
}) {
  const { left, right, name, fate } = props;
  const mark = { received: [], collided: ["✕"], corrupted: ["!"] }[fate];
  const texts = props.texts.map((text) => [...mark, text].join(" "));
  const width = Math.max(1, right - left);
  return (
    <>
      <rect class={`air-trace-frame ${name}`} x={left} y={0} width={width} height={BAR} />
      {textIn(left, right, BAR / 2 + 4, texts, `air-trace-text is-on-frame ${name}`)}
    </>
  );
}

function fateClass(fate: FrameFate, received: string): string {
  return fate === "received" ? received : `is-${fate}`;
}

function pduTexts(trace: AirTrace, frame: TracedFrame, pdu: TracedPdu): string[] {
  const rate = `${frame.rate_bps / 1e6} Mb/s`;
  const code = packetCode(trace, pdu.packet);
  const name = pduName(trace, pdu);
  return [`${code}: ${name}, ${pdu.bytes} bytes, ${rate}`, `${code}: ${name}`, code];
}

/** Hatching of collisions, and dots of corrupted frames. */
function Patterns() {
  return (
    <defs>
      <pattern
        id="air-trace-hatch"
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect class="air-trace-pattern-ground" width="6" height="6" />
        <rect class="air-trace-pattern-collided" width="2" height="6" />
      </pattern>
      <pattern id="air-trace-dots" width="5" height="5" patternUnits="userSpaceOnUse">
        <rect class="air-trace-pattern-ground" width="5" height="5" />
        <circle class="air-trace-pattern-corrupted" cx="2.5" cy="2.5" r="1.2" />
      </pattern>
    </defs>
  );
}
