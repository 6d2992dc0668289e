// What tests use of the page, in one bundle: two bundles would have two classes of errors.
export { EngineError } from "../src/engine/engine.ts";
export { Instance } from "../src/engine/instance.ts";
export * as address from "../src/state/address.ts";
export * as code from "../src/panels/export/code.ts";
export * as controls from "../src/scenario/controls.ts";
export * as difference from "../src/scenario/difference.ts";
export * as fit from "../src/scenario/fit.ts";
export * as format from "../src/panels/format.ts";
export * as quantity from "../src/scenario/quantity.ts";
export * as rows from "../src/panels/export/rows.ts";
export * as runs from "../src/state/runs.ts";
export * as store from "../src/state/store.ts";
export * as stops from "../src/scenario/stops.ts";
export * as words from "../src/scenario/words.ts";
