// What src/engine/pool.ts uses of a browser, in Node: workers, and a web server.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Worker as Thread } from "node:worker_threads";

/** Serves a folder on the loopback device, WebAssembly as `type`. */
export async function serve(folder, type = "application/wasm") {
  const server = createServer(async ({ url }, response) => {
    const content = await readFile(path.join(folder, url)).catch(() => undefined);
    response.writeHead(content ? 200 : 404, {
      "content-type": url.endsWith(".wasm") ? type : "text/javascript",
    });
    response.end(content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Lets `Worker` be one with the worker.js of a folder. `started` counts them, `running` has them. */
export function useWorkersOf(folder) {
  const workers = { started: 0, running: new Set() };
  globalThis.Worker = class {
    constructor(url) {
      // The page has fetched it. Here its imports need the folder.
      if (!url.startsWith("blob:")) throw new Error(`not the script that is kept: ${url}`);
      workers.started += 1;
      workers.running.add(this);
      const script = path.join(folder, "worker.js");
      this.thread = new Thread(fileURLToPath(new URL("worker-scope.mjs", import.meta.url)), {
        workerData: script,
      });
      this.thread.on("message", (data) => this.onmessage({ data }));
      this.thread.on("error", (error) =>
        this.onerror({ message: error.message, preventDefault() {} }),
      );
    }
    postMessage(message) {
      this.thread.postMessage(message);
    }
    terminate() {
      workers.running.delete(this);
      void this.thread.terminate();
    }
  };
  return workers;
}
