// Which of the values of a picture is read, by pointer or by keyboard.
import { useState } from "preact/hooks";

export interface Probe {
  /** Its index; null if none is. */
  probed: number | null;
  probe: (index: number | null) => void;
  /** To the next, or the one before. */
  step: (by: 1 | -1) => void;
}

export function useProbe(count: number): Probe {
  const [probed, probe] = useState<number | null>(null);
  const step = (by: 1 | -1) => {
    if (count === 0) return;
    const next = probed === null ? (by > 0 ? 0 : count - 1) : probed + by;
    probe(Math.min(Math.max(next, 0), count - 1));
  };
  return { probed, probe, step };
}
