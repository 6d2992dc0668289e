// The cell, drawn: hosts, wire, the access point's queue, and the stations with what each gets.
import type { RefObject } from "preact";
import { useId } from "preact/hooks";
import { cssColour, type Colour } from "../pictures/colours.ts";
import { Hatches, hatchId } from "../pictures/common/marks.tsx";
import type { Kind } from "./dots.ts";
import type { Layout } from "./layout.ts";
import type { Node } from "./nodes.ts";
import { largest } from "./replay.ts";

/** What moves, without a new drawing of the rest. */
export interface Moving {
  data: RefObject<SVGRectElement | null>;
  acks: RefObject<SVGRectElement | null>;
  words: RefObject<SVGTextElement | null>;
  dots: Record<Kind, RefObject<SVGPathElement | null>>;
}

export interface SceneProps {
  layout: Layout;
  nodes: Node[];
  sender: "AP" | "BS";
  /** "100 Mb/s", the rate of the wire; absent where links differ. */
  wire: string | null;
  /** What the queue loses, in words: lines. */
  losses: string[];
  /** Mean goodput of a flow, bit/s. */
  fairBps: number;
  moving: Moving;
}

/** Width of a character of the labels. */
const CHARACTER = 6.7;

export function Scene(props: SceneProps) {
  const { layout, nodes, sender, wire, losses, fairBps, moving } = props;
  const id = useId();
  const { width, height, hosts, ap, y, upLane, downLane, queue, isNarrow } = layout;
  const most = largest(nodes);
  // Below the queue, clear of the arrows.
  const words = isNarrow ? 2 : queue.left;
  return (
    <svg class="cell-scene" width={width} height={height} aria-hidden="true">
      <Hatches id={id} colours={["up"]} />
      <path
        class="cell-wire"
        d={`M${hosts} ${upLane}H${ap}M${hosts} ${downLane}H${queue.left}M${queue.right} ${downLane}H${ap}`}
      />
      {wire && !isNarrow && (
        <text x={(queue.left + queue.right) / 2} y={upLane - 8} text-anchor="middle" class="muted">
          wire {wire}
        </text>
      )}
      {nodes.map((node, k) => (
        <Row key={node.id} node={node} layout={layout} row={k} most={most} fairBps={fairBps} />
      ))}
      <rect
        class="cell-box"
        x={queue.left}
        y={queue.top}
        width={queue.right - queue.left}
        height={queue.height}
      />
      <rect ref={moving.data} class="cell-data" y={queue.top} height={queue.height} />
      <rect
        ref={moving.acks}
        y={queue.top}
        height={queue.height}
        fill={`url(#${hatchId(id, "up")})`}
        stroke={cssColour("up")}
      />
      <text ref={moving.words} x={words} y={queue.top + queue.height + 15} />
      {losses.map((line, k) => (
        <text key={k} x={words} y={queue.top + queue.height + 30 + 15 * k} class="muted">
          {line}
        </text>
      ))}
      {(["down", "ack", "up", "dropped"] as const).map((kind) => (
        <path key={kind} ref={moving.dots[kind]} class={`cell-dots is-${kind}`} />
      ))}
      <Box
        x={hosts}
        y={y}
        width={isNarrow ? 38 : 60}
        height={58}
        name={isNarrow ? "net" : "servers"}
      />
      <Box x={ap} y={y} width={30} height={58} name={sender} />
    </svg>
  );
}

function Box(props: { x: number; y: number; width: number; height: number; name: string }) {
  const { x, y, width, height, name } = props;
  return (
    <g>
      <rect
        class="cell-device"
        x={x - width / 2}
        y={y - height / 2}
        width={width}
        height={height}
        rx="4"
      />
      <text x={x} y={y} text-anchor="middle" dominant-baseline="central" class="strong">
        {name}
      </text>
    </g>
  );
}

/** A station: its arrows, as wide as what goes along them, its name and what it gets. */
function Row(props: { node: Node; layout: Layout; row: number; most: number; fairBps: number }) {
  const { node, layout, row, most, fairBps } = props;
  const { stations, width } = layout;
  const y = layout.rows[row]!;
  const { up, down } = layout.ways[row]!;
  const colour: Colour = node.up.length === 0 ? "down" : node.down.length === 0 ? "up" : "both";
  const flows = node.up.length + node.down.length;
  const share =
    flows > 0 && fairBps > 0 ? ((node.upBps + node.downBps) * node.count) / flows / fairBps : 0;
  const value = `${node.value}${node.isStarved ? " ▾" : ""}`;
  const room = Math.floor((width - stations - 20) / CHARACTER - value.length);
  const name =
    node.name.length > room ? `${node.name.slice(0, Math.max(room - 1, 1))}…` : node.name;
  return (
    <g class={node.isStarved ? "is-starved" : undefined}>
      {node.up.length > 0 && (
        <Arrow from={up[1]!} to={up[0]!} isTowards={false} colour="up" part={node.upBps / most} />
      )}
      {node.down.length > 0 && (
        <Arrow from={down[1]!} to={down[2]!} isTowards colour="down" part={node.downBps / most} />
      )}
      <rect
        class="cell-station"
        x={stations - 6}
        y={y - 7}
        width={12}
        height={14}
        rx="2.5"
        fill={cssColour(colour)}
        fill-opacity={Math.max(0.12, Math.min(share, 1))}
        stroke={cssColour(colour)}
      />
      <text x={stations + 12} y={y} dominant-baseline="central">
        {name}
      </text>
      <text x={width - 2} y={y} text-anchor="end" dominant-baseline="central" class="value">
        {value}
      </text>
    </g>
  );
}

/** Between the access point and a station, with its head at the receiver. */
function Arrow(props: {
  from: readonly [number, number];
  to: readonly [number, number];
  isTowards: boolean;
  colour: Colour;
  part: number;
}) {
  const { from, to, isTowards, colour, part } = props;
  const wide = 1.2 + 6 * (Number.isFinite(part) ? part : 0);
  const [tail, head] = isTowards ? [from, to] : [to, from];
  const length = Math.hypot(head[0] - tail[0], head[1] - tail[1]);
  const [dx, dy] = [(head[0] - tail[0]) / length, (head[1] - tail[1]) / length];
  const size = 4 + wide / 2;
  // The head stays clear of the box of the access point.
  const back = isTowards ? 4 : 17;
  const [x, y] = [head[0] - back * dx, head[1] - back * dy];
  const [bx, by] = [x - 1.6 * size * dx, y - 1.6 * size * dy];
  return (
    <>
      <path
        class="cell-arrow"
        d={`M${tail[0]} ${tail[1]}L${bx} ${by}`}
        stroke={cssColour(colour)}
        stroke-width={wide}
        stroke-dasharray={wide < 2 ? "5 3" : undefined}
      />
      <path
        class="cell-head"
        d={`M${x} ${y}L${bx - size * dy} ${by + size * dx}L${bx + size * dy} ${by - size * dx}Z`}
        fill={cssColour(colour)}
      />
    </>
  );
}
