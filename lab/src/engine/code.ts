// The engine's code: the module, compiled once, and the script of its workers. The page keeps both, so that
// workers start while the server is away.
import { EngineError } from "./engine.ts";

export interface Loaded {
  module: WebAssembly.Module;
  /** Address of the workers' script. */
  script: string;
}

export class Code {
  private loaded: Promise<Loaded> | undefined;

  /** `base` is a folder with worker.js and evenair.wasm. */
  constructor(private readonly base: string | URL) {}

  /** After a failure the next call tries again. */
  load(): Promise<Loaded> {
    this.loaded ??= load(this.base).catch((error: unknown) => {
      this.loaded = undefined;
      throw error;
    });
    return this.loaded;
  }
}

async function load(base: string | URL): Promise<Loaded> {
  const [module, script] = await Promise.all([
    fetched(new URL("evenair.wasm", base)).then(compiled),
    fetched(new URL("worker.js", base)).then((response) => response.text()),
  ]);
  // The type is that of scripts: a browser refuses a module of another one.
  return { module, script: URL.createObjectURL(new Blob([script], { type: "text/javascript" })) };
}

async function fetched(url: URL): Promise<Response> {
  const response = await fetch(url).catch(() => undefined);
  if (response?.ok) return response;
  throw new EngineError(`the engine could not be loaded from ${url}: is its server still there?`);
}

async function compiled(response: Response): Promise<WebAssembly.Module> {
  // Servers that do not know WebAssembly's media type send another one, which the browser refuses.
  const isNamed = response.headers.get("content-type")?.startsWith("application/wasm");
  try {
    return isNamed
      ? await WebAssembly.compileStreaming(response)
      : await WebAssembly.compile(await response.arrayBuffer());
  } catch (error) {
    throw new EngineError(`the engine could not be compiled: ${String(error)}`);
  }
}
