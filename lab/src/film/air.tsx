// The air during one access: a lane for each node, with its backoff and its frames.
import type { Film, FilmAccess, FilmContender, FilmFrame } from "../engine/result.ts";
import { airLayout, type AirLayout, lanesOf } from "./layout.ts";
import { duration } from "./time.ts";
import { count, nodeLabel, packetClass, packetCode, packetName } from "./words.ts";

const LANE = 26;
const BAR = 18;
const HEAD = 34;
const LABEL = 52;
/** Text of a frame needs so many pixels for each letter. */
const LETTER = 6.6;

export function Air({ film, access, width }: { film: Film; access: FilmAccess; width: number }) {
  const lanes = lanesOf(access);
  const layout = airLayout(film, access, Math.max(200, width - LABEL - 2));
  const height = HEAD + lanes.length * LANE;
  return (
    <svg class="film-air" width={width} height={height} aria-hidden="true">
      <Patterns />
      <g transform={`translate(${LABEL} 0)`}>
        <Head film={film} access={access} layout={layout} height={height} />
      </g>
      {lanes.map((node, place) => (
        <g key={node} transform={`translate(0 ${HEAD + place * LANE})`}>
          <text class="film-lane-label" x={0} y={LANE / 2 + 4}>
            {nodeLabel(film, node)}
          </text>
          <line class="film-lane" x1={LABEL} x2={width} y1={LANE} y2={LANE} />
          <g transform={`translate(${LABEL} ${(LANE - BAR) / 2})`}>
            <Lane film={film} access={access} layout={layout} node={node} />
          </g>
        </g>
      ))}
    </svg>
  );
}

/** What the parts of the time are, and how long they last. */
function Head(props: { film: Film; access: FilmAccess; layout: AirLayout; height: number }) {
  const { film, access, layout, height } = props;
  const parts: [number, number, string, string][] = [];
  const { difs, slots, frames, boundary, first } = layout;
  parts.push([...difs, "DIFS", duration(film.difs_ns)]);
  if (boundary > 0) {
    const { backoff, other } = access.parts;
    const cut = first > 0 ? ", the last of them" : "";
    const name = backoff > 0 ? `backoff: ${count(backoff / film.slot_ns, "slot")}` : "idle";
    const both = `${duration(backoff)} after ${duration(other)}`;
    const length = backoff > 0 && other > 0 ? both : duration(backoff + other);
    parts.push([...slots, name + cut, length]);
  }
  const ack = access.frames.find((frame) => frame.kind === "ack");
  const ackFrom = ack ? layout.timeAt(ack.start_ns) : frames[1];
  const framesEnd = ack ? layout.timeAt(ack.start_ns - film.sifs_ns) : frames[1];
  parts.push([frames[0], framesEnd, "frames", duration(access.parts.frames)]);
  if (ack) {
    parts.push([framesEnd, ackFrom, "SIFS", duration(access.parts.sifs)]);
    parts.push([ackFrom, frames[1], "ACK", duration(access.parts.ack)]);
  }
  return (
    <>
      {parts.map(([from, to, name, length]) => (
        <g key={name}>
          <path class="film-part" d={`M${from + 1} 31V27H${to - 1}V31`} />
          <line class="film-boundary" x1={to} x2={to} y1={27} y2={height} />
          {textIn(from, to, 12, [`${name}`, name.split(":")[0]!])}
          {textIn(from, to, 24, [length])}
        </g>
      ))}
    </>
  );
}

/** The first of the texts that has room; none if none has. */
function textIn(from: number, to: number, y: number, texts: string[], name = "film-text") {
  const text = texts.find((text) => text.length * LETTER <= to - from);
  return (
    text && (
      <text class={name} x={(from + to) / 2} y={y} text-anchor="middle">
        {text}
      </text>
    )
  );
}

function Lane(props: { film: Film; access: FilmAccess; layout: AirLayout; node: number }) {
  const { film, access, layout, node } = props;
  const contender = access.contenders.find((contender) => contender.node === node);
  const own = access.frames.filter((frame) => frame.from === node);
  return (
    <>
      {contender && <Backoff contender={contender} layout={layout} />}
      {own.map((frame) => (
        <Frame key={frame.start_ns} film={film} access={access} layout={layout} frame={frame} />
      ))}
      {contender && !contender.transmits && (
        <Frozen contender={contender} from={layout.frames[0]} to={roomUntil(own, layout)} />
      )}
    </>
  );
}

/** The slots that a node has counted, with the number that it had to count. */
function Backoff({ contender, layout }: { contender: FilmContender; layout: AirLayout }) {
  const { boundary, first } = layout;
  const from = Math.max(first, contender.from);
  const to = Math.min(boundary, contender.from + contender.before);
  // EIFS, a response timeout, or no packet yet.
  const wait = layout.slotAt(Math.min(boundary, from));
  const before = textIn(layout.slots[0], wait, BAR / 2 + 4, ["waits"], "film-text is-empty");
  if (to <= from) return before || null;
  const [left, right] = [layout.slotAt(from), layout.slotAt(to)];
  const step = layout.slotAt(from + 1) - left;
  const ticks = [];
  for (let slot = from + 1; slot < to && step >= 4; slot++) ticks.push(layout.slotAt(slot));
  const name = contender.has_frame ? "film-backoff" : "film-backoff is-empty";
  return (
    <>
      <rect class={name} x={left} y={3} width={right - left} height={BAR - 6} />
      <path class="film-slots" d={ticks.map((x) => `M${x} 3V${BAR - 3}`).join("")} />
      {textIn(left, right, BAR / 2 + 4, [String(contender.before)], "film-text is-boxed")}
      {before}
    </>
  );
}

/** The place where a node that does not contend begins to answer. */
function roomUntil(own: FilmFrame[], layout: AirLayout): number {
  return own[0] ? layout.timeAt(own[0].start_ns) : layout.frames[1];
}

/** A counter that stands still while others transmit. */
function Frozen(props: { contender: FilmContender; from: number; to: number }) {
  const { contender, from, to } = props;
  const { after, has_frame } = contender;
  const texts = has_frame
    ? [`❚❚ frozen, ${count(after, "slot")} left`, `❚❚ ${after} left`, `❚❚ ${after}`]
    : [after > 0 ? `${count(after, "slot")} left, no frame` : "no frame", "no frame"];
  const text = texts.find((text) => text.length * LETTER <= to - from) ?? texts[texts.length - 1];
  return (
    <text class={has_frame ? "film-text" : "film-text is-empty"} x={from + 5} y={BAR / 2 + 4}>
      {text}
    </text>
  );
}

function Frame(props: { film: Film; access: FilmAccess; layout: AirLayout; frame: FilmFrame }) {
  const { film, access, layout, frame } = props;
  const [left, right] = [layout.timeAt(frame.start_ns), layout.timeAt(frame.end_ns)];
  const fate = frame.fate === "received" ? frameClass(film, access, frame) : `is-${frame.fate}`;
  const mark = { received: [], collided: ["✕"], corrupted: ["!"] }[frame.fate];
  const texts = frameTexts(film, access, frame).map((text) => [...mark, text].join(" "));
  return (
    <>
      <rect
        class={`film-frame ${fate}`}
        x={left}
        y={0}
        width={Math.max(1, right - left)}
        height={BAR}
      />
      {textIn(left, right, BAR / 2 + 4, texts, `film-text is-on-frame ${fate}`)}
    </>
  );
}

/** Data of which direction, or a frame of the MAC. */
function frameClass(film: Film, access: FilmAccess, frame: FilmFrame): string {
  const attempt = access.attempts.find((attempt) => attempt.node === frame.from);
  return frame.kind === "data" && attempt ? packetClass(film, attempt.packet) : "is-control";
}

function frameTexts(film: Film, access: FilmAccess, frame: FilmFrame): string[] {
  if (frame.kind !== "data") return [frame.kind.toUpperCase()];
  const attempt = access.attempts.find((attempt) => attempt.node === frame.from);
  if (!attempt) return [];
  const rate = `${frame.rate_bps / 1e6} Mb/s`;
  const code = packetCode(film, attempt.packet);
  const name = packetName(film, attempt.packet);
  return [`${code}: ${name}, ${frame.bytes} bytes, ${rate}`, `${code}: ${name}`, code];
}

/** Hatching of collisions, and dots of corrupted frames. */
function Patterns() {
  return (
    <defs>
      <pattern
        id="film-hatch"
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect class="film-pattern-ground" width="6" height="6" />
        <rect class="film-pattern-collided" width="2" height="6" />
      </pattern>
      <pattern id="film-dots" width="5" height="5" patternUnits="userSpaceOnUse">
        <rect class="film-pattern-ground" width="5" height="5" />
        <circle class="film-pattern-corrupted" cx="2.5" cy="2.5" r="1.2" />
      </pattern>
    </defs>
  );
}
