// The campaign explorer without its panel.
export { defaultAxes, withFixed } from "./axes.ts";
export { curvesOf } from "./curves.ts";
export { CampaignFile } from "./file.ts";
export { baseToml, changesOf } from "./point-scenario.ts";
export { between } from "./scale.ts";
