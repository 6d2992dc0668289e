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
import { airLayout, type AirLayout, type Lane, laneOf, lanesOf } from "./layout.ts";
import { collidedInside } from "./exchange-words.ts";
import { CATEGORIES, type Exchange, exchangesOf } from "./mpdus.ts";
import { Bits, BIT, Control, Ppdu } from "./ppdu.tsx";
import { fitting, textIn } from "./text.tsx";
import { duration } from "./time.ts";
import { count, nodeLabel, packetClass, packetCode, pduName } from "./names.ts";

const LANE = 26;
const BAR = 18;
const HEAD = 34;
const LABEL = 52;
/** With a category, and with its name where there is room. */
const LABEL_CATEGORY = 66;
const LABEL_NAME = 112;
/** Narrower pictures have no room for names of categories. */
const NARROW = 640;
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
  const exchanges = exchangesOf(access);
  const hasNames = width >= NARROW;
  const hasCategories = lanes.some((lane) => lane.category);
  const label = hasCategories ? (hasNames ? LABEL_NAME : LABEL_CATEGORY) : LABEL;
  const layout = airLayout(access, Math.max(200, width - label - 2));
  const placed = places(lanes, exchanges);
  const height = HEAD + placed.height;
  return (
    <svg class="air-trace-lanes" width={width} height={height} aria-hidden="true">
      <Patterns />
      <g transform={`translate(${label} 0)`}>
        <Head access={access} layout={layout} height={height} />
      </g>
      {placed.lanes.map(({ lane, y, height, answered }) => (
        <g key={laneLabel(trace, lane, true)} transform={`translate(0 ${HEAD + y})`}>
          <text class="air-trace-lane-label" x={0} y={LANE / 2 + 4}>
            {laneLabel(trace, lane, hasNames)}
          </text>
          <line class="air-trace-lane" x1={label} x2={width} y1={height} y2={height} />
          <g transform={`translate(${label} ${(LANE - BAR) / 2})`}>
            <LaneFrames
              trace={trace}
              access={access}
              layout={layout}
              lane={lane}
              frames={access.frames.filter((frame) => laneOf(lanes, frame) === lane)}
              exchanges={exchanges}
            />
            {answered.map((exchange) => (
              <Bits key={exchange.main!.start_ns} layout={layout} exchange={exchange} y={BAR + 1} />
            ))}
          </g>
        </g>
      ))}
    </svg>
  );
}

/** Where lanes are: one whose MPDUs have a Block Ack is higher by the bits of it. */
function places(lanes: Lane[], exchanges: Exchange[]) {
  let y = 0;
  const placed = lanes.map((lane) => {
    const answered = exchanges.filter(({ main, response }) => {
      return (
        response?.kind === "block-ack" && main?.kind === "data" && laneOf(lanes, main) === lane
      );
    });
    const place = { lane, y, height: LANE + (answered.length > 0 ? BIT : 0), answered };
    y += place.height;
    return place;
  });
  return { lanes: placed, height: y };
}

/** "sta-3", with a category "sta-3, video" or "sta-3 VI". */
function laneLabel(trace: AirTrace, { node, category }: Lane, hasNames: boolean): string {
  const name = nodeLabel(trace, node);
  if (!category) return name;
  return hasNames ? `${name}, ${CATEGORIES[category]}` : `${name} ${category.toUpperCase()}`;
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

function partName({ contenders, frames }: TracedAccess, { kind }: AccessPart): string {
  if (kind === "difs" && contenders.some((contender) => contender.category)) return "AIFS";
  if (kind === "ack" && frames[frames.length - 1]?.kind === "block-ack") return "Block Ack";
  return PARTS[kind];
}

/** What the parts of the time are, and how long they last. */
function Head(props: { access: TracedAccess; layout: AirLayout; height: number }) {
  const { access, layout, height } = props;
  const { start_ns, end_ns, count: slots } = access.slots;
  return (
    <>
      {access.parts.map((part) => {
        const [from, to] = [layout.timeAt(part.start_ns), layout.timeAt(part.end_ns)];
        const [name, length] = [partName(access, part), duration(part.end_ns - part.start_ns)];
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

interface LaneProps {
  trace: AirTrace;
  access: TracedAccess;
  layout: AirLayout;
  lane: Lane;
  frames: TracedFrame[];
  exchanges: Exchange[];
}

function LaneFrames({ trace, access, layout, lane, frames, exchanges }: LaneProps) {
  const contender = access.contenders.find(
    ({ node, category }) => node === lane.node && category === lane.category,
  );
  // What is written before a short frame has the room after the one before, or beside what is written of a counter.
  const first = roomUntil(frames, layout);
  const frozenUntil = frames[0]?.qos ? (layout.frames + first) / 2 : first;
  const from = contender ? frozenUntil : 0;
  const room = (place: number) => (place > 0 ? layout.timeAt(frames[place - 1]!.end_ns) : from);
  return (
    <>
      {contender && <Backoff access={access} contender={contender} layout={layout} />}
      {frames.map((frame, place) =>
        frame.qos ? (
          <QosFrame
            key={frame.start_ns}
            trace={trace}
            layout={layout}
            frame={frame}
            exchange={exchanges.find((exchange) => hasFrame(exchange, frame))!}
            room={room(place)}
          />
        ) : (
          <Frame key={frame.start_ns} trace={trace} layout={layout} frame={frame} />
        ),
      )}
      {contender && !contender.transmits && (
        <Frozen
          trace={trace}
          contender={contender}
          hasCollided={collidedInside(access).includes(contender)}
          from={layout.timeAt(access.slots.end_ns)}
          to={frozenUntil}
        />
      )}
    </>
  );
}

function hasFrame({ protection, main, response }: Exchange, frame: TracedFrame): boolean {
  return main === frame || response === frame || protection.includes(frame);
}

function QosFrame(props: {
  trace: AirTrace;
  layout: AirLayout;
  frame: TracedFrame;
  exchange: Exchange;
  room: number;
}) {
  const { trace, layout, frame, exchange, room } = props;
  if (frame.kind === "data") {
    return <Ppdu trace={trace} layout={layout} exchange={exchange} height={BAR} />;
  }
  return <Control exchange={exchange} frame={frame} room={room} layout={layout} height={BAR} />;
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
function Frozen(props: {
  trace: AirTrace;
  contender: Contender;
  hasCollided: boolean;
  from: number;
  to: number;
}) {
  const { trace, contender, hasCollided, from, to } = props;
  const { after, has_frame } = contender;
  // A backoff for a bandwidth request only counts the slots of its region.
  const state = trace.medium === "wlan" ? "frozen, " : "";
  const texts = has_frame
    ? [`❚❚ ${state}${count(after, "slot")} left`, `❚❚ ${after} left`, `❚❚ ${after}`]
    : [after > 0 ? `${count(after, "slot")} left, no frame` : "no frame", "no frame"];
  if (hasCollided) texts.unshift(`✕ internal collision, ${count(after, "slot")} left`);
  const text = fitting(from, to, texts) ?? texts[texts.length - 1];
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
