// Plays the run once after each change, then rests at its means: a page that is left alone costs nothing.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RunResult } from "../engine/result.ts";
import { Dots } from "./dots.ts";
import type { Layout } from "./layout.ts";
import type { Node } from "./nodes.ts";
import { dropsOf, meanMoment, momentAt, ratesOf, type Moment } from "./replay.ts";

/** How long a run takes, however long its simulated time is. */
const PLAY_MS = 12_000;
/** Time between two drawings. */
const FRAME_MS = 33;
/** So long dots have moved before the first drawing, so that they are everywhere. */
const BEFORE_S = 6;

export interface Playing {
  isPlaying: boolean;
  toggle: () => void;
}

/** `draw` puts a moment and its dots on the screen. */
export function usePlaying(
  result: RunResult,
  toml: string,
  nodes: Node[],
  layout: Layout,
  element: () => Element | null,
  draw: (moment: Moment, dots: Dots) => void,
): Playing {
  const [isPlaying, setPlaying] = useState(false);
  const dots = useRef<{ of: string; dots: Dots } | null>(null);
  const latest = useRef({ result, nodes, draw });
  latest.current = { result, nodes, draw };
  /** Share of the run that has been played. */
  const share = useRef(0);

  // Dots stay where they are while a slider moves: they are others only for other stations. Before the next frame, which
  // has the new stations.
  const rows = nodes.map(({ id }) => id).join(" ");
  useLayoutEffect(() => {
    if (layout.width === 0) return;
    const mean = meanMoment(result, nodes);
    if (dots.current?.of === rows) {
      dots.current.dots.resize(layout.ways, layout.queueAt);
    } else {
      dots.current = { of: rows, dots: new Dots(layout.ways, layout.queueAt) };
      const [rates, drops] = [ratesOf(nodes, mean), dropsOf(result)];
      const step = FRAME_MS / 1000;
      for (let t = 0; t < BEFORE_S; t += step) dots.current.dots.step(step, rates, drops);
    }
    draw(isPlaying ? momentAt(result, nodes, share.current) : mean, dots.current.dots);
  }, [result, rows, layout.width, layout.height, nodes]);

  // Another scenario is played from its beginning, unless its reader wants no motion.
  useEffect(() => {
    share.current = 0;
    setPlaying(!matchMedia("(prefers-reduced-motion: reduce)").matches);
  }, [toml]);

  const isReady = layout.width > 0;
  useEffect(() => {
    if (!isPlaying || !isReady) return;
    let isSeen = true;
    const observer = new IntersectionObserver(([entry]) => (isSeen = entry!.isIntersecting));
    const seen = element();
    if (seen) observer.observe(seen);
    let before = performance.now();
    let frame = requestAnimationFrame(function next(now) {
      frame = requestAnimationFrame(next);
      if (now - before < FRAME_MS) return;
      // A page that was hidden goes on where it was.
      const passed = Math.min(now - before, 4 * FRAME_MS);
      before = now;
      const { result, nodes, draw } = latest.current;
      share.current += passed / PLAY_MS;
      const isOver = share.current >= 1;
      const moving = dots.current?.dots;
      if (moving && (isSeen || isOver)) {
        const moment = isOver ? meanMoment(result, nodes) : momentAt(result, nodes, share.current);
        moving.step(passed / 1000, ratesOf(nodes, moment), dropsOf(result));
        draw(moment, moving);
      }
      if (isOver) {
        share.current = 0;
        setPlaying(false);
      }
    });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
    };
  }, [isPlaying, isReady]);

  return { isPlaying, toggle: () => setPlaying(!isPlaying) };
}
