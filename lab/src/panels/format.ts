// Numbers for people.

/** As `5.23 Mbps`: three significant digits. */
export function formatRate(bps: number): string {
  if (bps >= 1e6) return `${(bps / 1e6).toPrecision(3)} Mbps`;
  if (bps >= 1e3) return `${(bps / 1e3).toPrecision(3)} kbps`;
  return `${bps.toPrecision(3)} bps`;
}
