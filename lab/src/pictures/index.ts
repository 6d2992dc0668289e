// The pictures of the lab, and the data of each as rows.
export { Pictures } from "./pictures.tsx";
export { Goodput } from "./bars/goodput.tsx";
export { Fairness } from "./bars/fairness.tsx";
export { Losses } from "./bars/losses.tsx";
export { Airtime, FrameUse, Medium } from "./bars/shares.tsx";
export { Controller, Cwnd, GoodputOverTime, Limiter, QueueOverTime, Rtt } from "./line/tracks.tsx";
export { DelayCdf, Delays } from "./line/delays.tsx";
export { DifferenceTable } from "./difference-table.tsx";
export { pictureSvg, save, toPng } from "./common/export.ts";
export { csv, type Rows } from "./data/rows.ts";
export { comparison, comparisonRows } from "./data/comparison.ts";
export { delayRows, delays } from "./data/delays.ts";
export { fairness, fairnessRows } from "./data/fairness.ts";
export { goodput, goodputRows } from "./data/goodput.ts";
export { losses, lossRows } from "./data/losses.ts";
export { flowTrack, queueTrack, trackRows } from "./data/series.ts";
export { airtime, frameUse, medium, shareRows } from "./data/shares.ts";
export type { View } from "./view.ts";
