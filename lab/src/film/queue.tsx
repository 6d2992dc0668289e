// The queue of the access point as cells, in the order in which they will leave.
import type { Film, FilmAccess, FilmPacket, FilmQueue } from "../engine/result.ts";
import { count, nodeLabel, packetClass, packetCode, packetName } from "./words.ts";

export function Queues({ film, access }: { film: Film; access: FilmAccess }) {
  return (
    <section class="film-part-of-page" aria-label="Queue of the access point">
      <h3>The AP's queue</h3>
      <p class="film-note">
        {access.ap_sends ? (
          <>
            The AP sends next, or now: <Cell film={film} packet={access.ap_sends} isNext />{" "}
            {packetName(film, access.ap_sends)}.
          </>
        ) : (
          "The AP has nothing to send."
        )}
      </p>
      {access.ap_queues.map((queue) => (
        <Queue key={queue.station} film={film} queue={queue} />
      ))}
      {access.drops.length > 0 && (
        <p class="film-note">
          Dropped since the access before:{" "}
          {access.drops.map(({ packet }, place) => (
            <Cell key={place} film={film} packet={packet} isDropped />
          ))}
        </p>
      )}
      <p class="film-note">
        On wired links: {count(access.wired.to_access_point, "packet")} to the AP,{" "}
        {access.wired.to_hosts} to hosts.
      </p>
    </section>
  );
}

function Queue({ film, queue }: { film: Film; queue: FilmQueue }) {
  const acks = queue.packets.filter((packet) => packet.kind === "ack").length;
  const listed = queue.packets.length;
  const rest = queue.waiting - listed;
  const of = queue.station === null ? "" : `For ${nodeLabel(film, queue.station)}: `;
  const first = rest > 0 ? `, of the first ${listed}` : "";
  return (
    <>
      <p class="film-note">
        {of}
        {count(queue.waiting, "packet")} in the queue{first}: {listed - acks} of data,{" "}
        {count(acks, "ACK")}.
      </p>
      <ol class="film-queue">
        {queue.packets.map((packet, place) => (
          <li key={place}>
            <Cell film={film} packet={packet} />
          </li>
        ))}
        {rest > 0 && <li>and {rest} more</li>}
      </ol>
    </>
  );
}

interface CellProps {
  film: Film;
  packet: FilmPacket;
  isNext?: boolean;
  isDropped?: boolean;
}

function Cell({ film, packet, isNext = false, isDropped = false }: CellProps) {
  const state = isNext ? "is-next" : isDropped ? "is-dropped" : "";
  const code = packetCode(film, packet);
  return (
    <span
      class={`film-cell ${packetClass(film, packet)} ${state}`}
      title={packetName(film, packet)}
    >
      {isDropped ? <s>{code}</s> : code}
    </span>
  );
}
