// A PPDU with EDCA: its preamble, its MPDUs as cells, and below each the bit of the Block Ack.
import type { AirTrace, FrameFate, TracedFrame } from "../engine/result.ts";
import type { AirLayout } from "./layout.ts";
import {
  bitmapOf,
  type Exchange,
  grouped,
  type Mpdu,
  type MpduGroup,
  mpdusOf,
  sequencesOf,
  single,
} from "./mpdus.ts";
import { count, packetClass, packetCode, packetName, pduName } from "./names.ts";
import { fitting, textIn } from "./text.tsx";

/** Cells that would be narrower are drawn together with those that are like them. */
const NARROWEST = 7;
/** Height of a bit, pixels. */
export const BIT = 13;

interface PpduProps {
  trace: AirTrace;
  layout: AirLayout;
  exchange: Exchange;
  height: number;
}

/** Data. */
export function Ppdu({ trace, layout, exchange, height }: PpduProps) {
  const frame = exchange.main!;
  const { groups, left, right } = cells(exchange, layout);
  const [start, end] = [layout.timeAt(frame.start_ns), layout.timeAt(frame.end_ns)];
  const rest = frame.pdus - frame.carries.length;
  return (
    <>
      <g>
        <title>Preamble and PHY header</title>
        <rect
          class="air-trace-frame is-preamble"
          x={start}
          y={3}
          width={Math.max(1, left - start)}
          height={height - 6}
        />
        {textIn(start, left, height / 2 + 4, ["preamble"])}
      </g>
      {groups.map(({ group, from, to }) => (
        <Cell key={from} trace={trace} group={group} from={from} to={to} height={height} />
      ))}
      {right < end && (
        <g>
          <title>{rest > 0 ? `${count(rest, "packet")} more` : "Padding"}</title>
          <rect
            class="air-trace-frame is-padding"
            x={right}
            y={0}
            width={end - right}
            height={height}
          />
          {rest > 0 && textIn(right, end, height / 2 + 4, [`and ${rest} more`, `+${rest}`])}
        </g>
      )}
    </>
  );
}

interface PlacedGroup {
  group: MpduGroup;
  from: number;
  to: number;
}

/** The cells of a PPDU, and where they begin and end. */
function cells(exchange: Exchange, layout: AirLayout) {
  const mpdus = mpdusOf(exchange);
  const left = layout.timeAt(mpdus[0]!.start_ns);
  const right = layout.timeAt(mpdus[mpdus.length - 1]!.end_ns);
  const isWide = (right - left) / mpdus.length >= NARROWEST;
  const groups = (isWide ? single(mpdus) : grouped(mpdus)).map((group): PlacedGroup => {
    const { first, last } = group;
    return { group, from: layout.timeAt(first.start_ns), to: layout.timeAt(last.end_ns) };
  });
  return { groups, left, right };
}

interface CellProps {
  trace: AirTrace;
  group: MpduGroup;
  from: number;
  to: number;
  height: number;
}

function Cell({ trace, group, from, to, height }: CellProps) {
  const { first, mpdus } = group;
  const { fate, retry, packets } = first;
  const isLost = fate !== "received";
  const name = isLost ? `is-${fate}` : packetClass(trace, packets[0]!.packet);
  const width = Math.max(1, to - from);
  // The packets of an A-MSDU.
  const parts =
    mpdus.length > 1 ? [] : packets.slice(1).map((_, place) => (place + 1) / packets.length);
  const isDivided = width / packets.length >= 3;
  return (
    <g class="air-trace-mpdu" data-fate={fate} data-mpdus={mpdus.length}>
      <title>{groupTitle(trace, group)}</title>
      <rect class={`air-trace-frame ${name}`} x={from} y={0} width={width} height={height} />
      {isDivided && parts.length > 0 && (
        <path
          class="air-trace-msdus"
          d={parts.map((part) => `M${from + part * width} ${height - 5}V${height}`).join("")}
        />
      )}
      {isLost && (
        <path class="air-trace-cross" d={`M${from} 0L${to} ${height}M${from} ${height}L${to} 0`} />
      )}
      {retry && (
        <path class="air-trace-retry" d={`M${from + 1} 2.5H${Math.max(from + 2, to - 1)}`} />
      )}
      {textIn(
        from,
        to,
        height / 2 + 5,
        cellTexts(trace, group),
        `air-trace-text is-on-frame ${name}`,
      )}
    </g>
  );
}

function cellTexts(trace: AirTrace, group: MpduGroup): string[] {
  const { first, mpdus } = group;
  const mark = { received: "", collided: "✕ ", corrupted: "! " }[first.fate];
  const name = mark + (first.retry ? "R " : "") + sequencesOf(group);
  if (mpdus.length > 1)
    return [`${name}: ${count(mpdus.length, "MPDU")}`, name, sequencesOf(group)];
  const { packets } = first;
  const [pdu] = packets;
  const code = packetCode(trace, pdu!.packet);
  const what = packets.length > 1 ? `A-MSDU of ${packets.length}` : pduName(trace, pdu!);
  return [
    `${name}: ${what}, ${pdu!.bytes} bytes`,
    `${name}: ${packets.length > 1 ? what : code}`,
    name,
    `${first.sequence}`,
  ];
}

/** What one finds by pointing at a cell. */
export function groupTitle(trace: AirTrace, group: MpduGroup): string {
  const { first, mpdus } = group;
  const fate = { received: "received", collided: "collided", corrupted: "lost" }[first.fate];
  const states = [fate];
  if (first.retry) states.push(first.repeats ? "repeated though it had arrived" : "repeated");
  if (first.bit !== null) states.push(`bit ${first.bit}`);
  if (mpdus.length > 1) return `MPDUs ${sequencesOf(group)}: ${states.join(", ")}`;
  return `MPDU ${first.sequence}, ${packetsOf(trace, first)}: ${states.join(", ")}`;
}

function packetsOf(trace: AirTrace, { packets }: Mpdu): string {
  const [first] = packets;
  const name = packetName(trace, first!.packet);
  return packets.length > 1 ? `A-MSDU of ${packets.length} from ${name} on` : name;
}

/** The bits that the Block Ack of a PPDU has for its MPDUs, below them. */
export function Bits({
  layout,
  exchange,
  y,
}: {
  layout: AirLayout;
  exchange: Exchange;
  y: number;
}) {
  return (
    <>
      {cells(exchange, layout).groups.map(({ group, from, to }) => {
        const { bit } = group.first;
        const texts =
          group.mpdus.length > 1 ? [`${group.mpdus.length} × ${bit}`, `${bit}`] : [`${bit}`];
        if (bit === null) return null;
        const width = Math.max(1, to - from);
        const name = `air-trace-bit is-${bit === "1" ? "one" : "zero"}`;
        return (
          <g key={from} class="air-trace-bits" data-bit={bit} data-mpdus={group.mpdus.length}>
            <rect class={name} x={from} y={y} width={width} height={BIT} />
            {textIn(
              from,
              to,
              y + BIT - 3,
              texts,
              `air-trace-text is-on-bit is-${bit === "1" ? "one" : "zero"}`,
            )}
          </g>
        );
      })}
    </>
  );
}

/** RTS, CTS, ACK, Block Ack, BlockAckReq, CF-End: often too short for their name, which stands before them then. */
export function Control(props: {
  exchange: Exchange;
  frame: TracedFrame;
  room: number;
  layout: AirLayout;
  height: number;
}) {
  const { exchange, frame, room, layout, height } = props;
  const [from, to] = [layout.timeAt(frame.start_ns), layout.timeAt(frame.end_ns)];
  const names = controlNames(frame);
  const mark = fateMark(frame.fate);
  const texts = names.map((name) => mark + name);
  const name = frame.fate === "received" ? "is-control" : `is-${frame.fate}`;
  const y = height / 2 + 4;
  const inside = textIn(from, to, y, texts, `air-trace-text is-on-frame ${name}`);
  const outside = !inside && fitting(room, from - 3, texts);
  return (
    <g class="air-trace-control" data-kind={frame.kind}>
      <title>{controlTitle(exchange, frame)}</title>
      <rect
        class={`air-trace-frame ${name}`}
        x={from}
        y={0}
        width={Math.max(2, to - from)}
        height={height}
      />
      {inside}
      {outside && (
        <text class="air-trace-text" x={from - 3} y={y} text-anchor="end">
          {outside}
        </text>
      )}
    </g>
  );
}

function fateMark(fate: FrameFate): string {
  return { received: "", collided: "✕ ", corrupted: "! " }[fate];
}

const CONTROL: Record<string, string[]> = {
  rts: ["RTS"],
  cts: ["CTS"],
  ack: ["ACK"],
  "block-ack": ["Block Ack", "BA"],
  "block-ack-req": ["BlockAckReq", "BAR"],
  "cf-end": ["CF-End"],
  beacon: ["beacon"],
};

function controlNames({ kind, qos, from, to }: TracedFrame): string[] {
  const names = kind === "cts" && from === to ? ["CTS-to-self", "CTS"] : CONTROL[kind]!;
  const start = qos?.block_ack?.start;
  return start === undefined ? names : [...names.map((name) => `${name} from ${start}`), ...names];
}

function controlTitle(exchange: Exchange, frame: TracedFrame): string {
  const [name] = controlNames(frame);
  const fate = { received: "", collided: ", collided", corrupted: ", lost" }[frame.fate];
  if (frame.kind !== "block-ack") return name + fate;
  return `${name}: ${bitmapOf({ ...exchange, response: frame })}${fate}`;
}
