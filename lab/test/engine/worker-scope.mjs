// The global scope of a browser's worker, around the script that workerData names.
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";

const early = [];
globalThis.self = {
  onmessage: (event) => early.push(event),
  postMessage: (message) => parentPort.postMessage(message),
};
parentPort.on("message", (data) => self.onmessage({ data }));
await import(pathToFileURL(workerData).href);
early.forEach((event) => self.onmessage(event));
