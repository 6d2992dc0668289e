// The queue of the access point as cells, in the order in which they will leave.
import type { AirTrace, TracedAccess, TracedPacket, TracedQueue } from "../engine/result.ts";
import { CATEGORIES } from "./mpdus.ts";
import {
  capital,
  count,
  list,
  nodeLabel,
  nodeName,
  packetClass,
  packetCode,
  packetName,
} from "./names.ts";

/** More packets than these have their cells only. */
const MOST_NAMED = 5;

export function Queues({ trace, access }: { trace: AirTrace; access: TracedAccess }) {
  const { ap_sends, ap_queues, drops, dropped, wired } = access;
  const ap = nodeName(trace, 0);
  const waiting = ap_queues.some((queue) => queue.waiting > 0);
  return (
    <section class="air-trace-part-of-page" aria-label={`Queue of ${ap}`}>
      <h3>{capital(ap)}'s queue</h3>
      <p class="air-trace-note">
        {ap_sends.length > 0 ? (
          <>
            {capital(ap)} sends next, or now:{" "}
            {ap_sends.map((packet, place) => (
              <Cell key={place} trace={trace} packet={packet} isNext />
            ))}{" "}
            {ap_sends.length <= MOST_NAMED &&
              list(ap_sends.map((packet) => packetName(trace, packet)))}
          </>
        ) : waiting ? (
          "The MAC has no packet before these."
        ) : (
          `${capital(ap)} has nothing to send.`
        )}
      </p>
      {ap_queues.map((queue) => (
        <Queue key={`${queue.station} ${queue.category}`} trace={trace} queue={queue} />
      ))}
      {dropped > 0 && (
        <p class="air-trace-note">
          Dropped since the access before:{" "}
          {drops.map(({ packet }, place) => (
            <Cell key={place} trace={trace} packet={packet} isDropped />
          ))}
          {dropped > drops.length && ` and ${dropped - drops.length} more`}
        </p>
      )}
      <p class="air-trace-note">
        On wired links: {count(wired.to_access_point, "packet")} to {ap}, {wired.to_hosts} to hosts.
      </p>
    </section>
  );
}

function Queue({ trace, queue }: { trace: AirTrace; queue: TracedQueue }) {
  const acks = queue.packets.filter((packet) => packet.kind === "ack").length;
  const listed = queue.packets.length;
  const rest = queue.waiting - listed;
  const station = queue.station === null ? [] : [`for ${nodeLabel(trace, queue.station)}`];
  const category = queue.category ? [`in ${CATEGORIES[queue.category]}`] : [];
  const of = [...category, ...station].join(" ");
  const first = rest > 0 ? `, of the first ${listed}` : "";
  return (
    <>
      <p class="air-trace-note">
        {of && `${of[0]!.toUpperCase()}${of.slice(1)}: `}
        {count(queue.waiting, "packet")} in the queue{first}: {listed - acks} of data,{" "}
        {count(acks, "ACK")}.
      </p>
      <ol class="air-trace-queue">
        {queue.packets.map((packet, place) => (
          <li key={place}>
            <Cell trace={trace} packet={packet} />
          </li>
        ))}
        {rest > 0 && <li>and {rest} more</li>}
      </ol>
    </>
  );
}

interface CellProps {
  trace: AirTrace;
  packet: TracedPacket;
  isNext?: boolean;
  isDropped?: boolean;
}

function Cell({ trace, packet, isNext = false, isDropped = false }: CellProps) {
  const state = isNext ? "is-next" : isDropped ? "is-dropped" : "";
  const code = packetCode(trace, packet);
  return (
    <span
      class={`air-trace-cell ${packetClass(trace, packet)} ${state}`}
      title={packetName(trace, packet)}
    >
      {isDropped ? <s>{code}</s> : code}
    </span>
  );
}
