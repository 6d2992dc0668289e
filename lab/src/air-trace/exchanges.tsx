// The PPDUs of an access with EDCA as text: their MPDUs as cells of one size, each with its bit of the Block Ack.
import type { AirTrace, TracedAccess, TracedFrame } from "../engine/result.ts";
import { mpduCount } from "./exchange-words.ts";
import {
  bitmapOf,
  CATEGORIES,
  type Exchange,
  exchangesOf,
  grouped,
  type MpduGroup,
  mpdusOf,
  sequencesOf,
  single,
} from "./mpdus.ts";
import { count, nodeLabel, packetClass } from "./names.ts";
import { groupTitle } from "./ppdu.tsx";
import { duration } from "./time.ts";

/** Of more MPDUs neighbours that are alike share a cell. */
const MOST_SINGLE = 32;

export function Exchanges({ trace, access }: { trace: AirTrace; access: TracedAccess }) {
  const exchanges = exchangesOf(access).filter((exchange) => exchange.main?.qos);
  if (exchanges.length === 0) return null;
  return (
    <section class="air-trace-part-of-page" aria-label="PPDUs of this access">
      <h3>PPDUs of this access</h3>
      <ol class="air-trace-ppdus">
        {exchanges.map((exchange) => (
          <li key={`${exchange.main!.from} ${exchange.main!.start_ns}`}>
            <p class="air-trace-note">{describe(trace, exchange)}</p>
            <Mpdus trace={trace} exchange={exchange} />
          </li>
        ))}
      </ol>
    </section>
  );
}

const LOST = { received: "", collided: "collided", corrupted: "lost" };

/** "AP to sta-2, video: A-MPDU of 12 MPDUs, MCS 9, 1.2 ms; Block Ack from 15: 110111111111". */
function describe(trace: AirTrace, exchange: Exchange): string {
  const main = exchange.main!;
  const to = main.to === null ? "all" : nodeLabel(trace, main.to);
  const before = exchange.protection.map((frame) => `${frame.kind.toUpperCase()}, `).join("");
  const lost = main.fate === "received" ? "" : `, ${LOST[main.fate]}`;
  const answer = exchange.response ? `; ${answerOf(exchange, exchange.response)}` : "";
  const who = `${nodeLabel(trace, main.from)} to ${to}, ${CATEGORIES[main.qos!.category]}`;
  return `${who}: ${before}${contentOf(main)}${lost}${answer}`;
}

function contentOf(main: TracedFrame): string {
  const { qos, kind } = main;
  const length = duration(main.end_ns - main.start_ns);
  if (kind === "cf-end") return `CF-End, ${length}`;
  if (kind === "block-ack-req") return `BlockAckReq from ${qos!.block_ack?.start}, ${length}`;
  const what = { mpdu: "MPDU", "s-mpdu": "S-MPDU", "a-mpdu": `A-MPDU of ${mpduCount(main)}` };
  const rate = `${Number((main.rate_bps / 1e6).toFixed(1))} Mb/s`;
  const mode = qos!.mcs === undefined ? rate : `MCS ${qos!.mcs}, ${rate}`;
  return `${what[qos!.psdu]}, ${mode}, ${count(main.bytes, "byte")}, ${length}`;
}

function answerOf(exchange: Exchange, response: TracedFrame): string {
  const lost = response.fate === "received" ? "" : ", lost";
  if (response.kind !== "block-ack") return `ACK${lost}`;
  // Those of longer bitmaps are below the MPDUs.
  const bitmap = bitmapOf(exchange);
  const bits = bitmap.length <= MOST_SINGLE ? `: ${bitmap}` : "";
  return `Block Ack from ${response.qos!.block_ack!.start}${bits}${lost}`;
}

function Mpdus({ trace, exchange }: { trace: AirTrace; exchange: Exchange }) {
  const mpdus = mpdusOf(exchange);
  if (mpdus.length === 0) return null;
  const groups = mpdus.length <= MOST_SINGLE ? single(mpdus) : grouped(mpdus);
  const rest = exchange.main!.pdus - exchange.main!.carries.length;
  return (
    <ol class="air-trace-mpdus">
      {groups.map((group) => (
        <li key={group.first.sequence}>
          <MpduCell trace={trace} group={group} />
        </li>
      ))}
      {rest > 0 && <li>and {count(rest, "packet")} more</li>}
    </ol>
  );
}

function MpduCell({ trace, group }: { trace: AirTrace; group: MpduGroup }) {
  const { fate, retry, bit, packets } = group.first;
  const isLost = fate !== "received";
  const name = isLost ? `is-${fate}` : packetClass(trace, packets[0]!.packet);
  const mark = { received: "", collided: "✕ ", corrupted: "! " }[fate];
  return (
    <span class="air-trace-mpdu-cell" title={groupTitle(trace, group)}>
      <span class={`air-trace-cell ${name}`}>
        {mark}
        {retry && <abbr title="repeated">R</abbr>}
        {retry && " "}
        {sequencesOf(group)}
        {packets.length > 1 && ` (${packets.length})`}
      </span>
      {bit !== null && (
        <span class={`air-trace-cell-bit is-${bit === "1" ? "one" : "zero"}`}>{bit}</span>
      )}
    </span>
  );
}
