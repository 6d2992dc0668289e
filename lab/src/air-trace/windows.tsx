// The two windows of a TCP sender, and what of them is in flight.
import type { TracedSender } from "../engine/result.ts";
import { describeLimit } from "./words.ts";

export function Windows({ sender }: { sender: TracedSender | undefined }) {
  if (!sender) return <p class="air-trace-note">This flow has no window: it is not TCP's.</p>;
  const scale = Math.max(sender.cwnd, sender.receive_window, sender.in_flight, 1);
  const { ssthresh } = sender;
  const phase = ssthresh === null || sender.cwnd < ssthresh ? "slow start" : "congestion avoidance";
  return (
    <>
      <dl class="air-trace-windows">
        <Bar name="cwnd" value={sender.cwnd} scale={scale} kind="cwnd" mark={ssthresh} />
        <Bar name="Receiver's window" value={sender.receive_window} scale={scale} kind="receiver" />
        <Bar name="In flight" value={sender.in_flight} scale={scale} kind="flight" />
      </dl>
      <p class="air-trace-note">
        In segments. {describeLimit(sender)} ssthresh is{" "}
        {ssthresh === null ? "unlimited" : amount(ssthresh)}: {phase}.
      </p>
    </>
  );
}

interface BarProps {
  name: string;
  value: number;
  scale: number;
  kind: string;
  /** A line at this value. */
  mark?: number | null;
}

function Bar({ name, value, scale, kind, mark = null }: BarProps) {
  const share = (value: number) => `${(100 * value) / scale}%`;
  return (
    <div class="air-trace-window">
      <dt>{name}</dt>
      <dd>
        <span class="air-trace-window-track" aria-hidden="true">
          <span class={`air-trace-window-bar is-${kind}`} style={{ width: share(value) }} />
          {mark !== null && mark <= scale && (
            <span class="air-trace-window-mark" style={{ left: share(mark) }} />
          )}
        </span>
        <span class="air-trace-window-value">{amount(value)}</span>
      </dd>
    </div>
  );
}

function amount(segments: number): string {
  return String(Number(segments.toFixed(2)));
}
