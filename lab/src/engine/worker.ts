// A worker with one instance of the engine: first the module comes, then one request after the other.
import { Instance } from "./instance.ts";
import type { FromWorker, ToWorker } from "./pool.ts";

const scope = self as unknown as {
  onmessage: (event: MessageEvent<ToWorker>) => void;
  postMessage(message: FromWorker): void;
};

let instance: Instance | undefined;

scope.onmessage = ({ data }) => {
  if ("module" in data) {
    instance = new Instance(data.module);
    return;
  }
  try {
    const answer = instance!.answer(data.request);
    scope.postMessage({ answer, memory: instance!.memoryBytes });
  } catch (error) {
    // Memory that is exhausted leaves no message.
    const unknown = `${String(error)}; the scenario may need more memory than there is`;
    scope.postMessage({ trap: instance!.panicMessage ?? unknown });
  }
};
