// The accesses around the present one, as blocks in a row: a click goes to one of them.
import type { AirTrace, TracedAccess } from "../engine/result.ts";
import { packetClass } from "./names.ts";

const HEIGHT = 30;
/** Pixels of an access. */
const STEP = 18;

interface StripProps {
  trace: AirTrace;
  present: number;
  width: number;
  go: (access: number) => void;
}

export function Strip({ trace, present, width, go }: StripProps) {
  const shown = Math.max(5, Math.floor(width / STEP));
  const first = Math.max(
    0,
    Math.min(present - Math.floor(shown / 2), trace.accesses.length - shown),
  );
  const accesses = trace.accesses.slice(first, first + shown);
  return (
    <svg class="air-trace-strip" width={width} height={HEIGHT} aria-hidden="true">
      {accesses.map((access, place) => (
        <Block
          key={first + place}
          trace={trace}
          access={access}
          x={place * STEP}
          isPresent={first + place === present}
          onClick={() => go(first + place)}
        />
      ))}
    </svg>
  );
}

interface BlockProps {
  trace: AirTrace;
  access: TracedAccess;
  x: number;
  isPresent: boolean;
  onClick: () => void;
}

function Block({ trace, access, x, isPresent, onClick }: BlockProps) {
  const payloads = access.frames.flatMap((frame) => frame.carries.map((pdu) => pdu.packet));
  // An RTS carries no packet, but is for one.
  const [attempt] = access.attempts;
  const packets = attempt ? [attempt.packet].filter((packet) => packet !== null) : payloads;
  const fate = access.frames.find((frame) => frame.fate !== "received")?.fate;
  const [first] = packets;
  const name = fate ? `is-${fate}` : first ? packetClass(trace, first) : "is-control";
  const classes = packets.map((packet) => packetClass(trace, packet));
  const [up, down] = ["is-up", "is-down"].map((way) => classes.some((own) => own.includes(way)));
  const arrow = up && down ? "↕" : up ? "↑" : down ? "↓" : "";
  // Data are high, acknowledgements of TCP low.
  const high = packets.some(({ kind }) => kind === "data" || kind === "datagram");
  const height = high ? 18 : 10;
  // Some of the MPDUs of an A-MPDU, which is received otherwise.
  const isPartlyLost = access.frames.some(({ carries, qos }) => {
    return qos && carries.some((pdu) => pdu.fate !== "received");
  });
  const mark = fate === "collided" ? "✕" : fate || isPartlyLost ? "!" : arrow;
  return (
    <g onClick={onClick}>
      <rect class="air-trace-hit" x={x} y={0} width={STEP} height={HEIGHT} />
      <rect
        class={`air-trace-frame ${name}`}
        x={x + 2}
        y={22 - height}
        width={STEP - 4}
        height={height}
      />
      <text
        class={`air-trace-text is-on-frame ${name}`}
        x={x + STEP / 2}
        y={20}
        text-anchor="middle"
      >
        {mark}
      </text>
      {isPresent && <path class="air-trace-present" d={`M${x + 2} 26.5H${x + STEP - 2}`} />}
    </g>
  );
}
