// The engine's code: a module that is fetched and compiled once.
import { EngineError } from "./engine.ts";

export class Code {
  private compiled: Promise<WebAssembly.Module> | undefined;

  constructor(private readonly url: URL) {}

  /** After a failure the next call tries again. */
  module(): Promise<WebAssembly.Module> {
    this.compiled ??= compile(this.url).catch((error: unknown) => {
      this.compiled = undefined;
      throw error;
    });
    return this.compiled;
  }
}

async function compile(url: URL): Promise<WebAssembly.Module> {
  const response = await fetch(url).catch(() => undefined);
  if (!response?.ok) {
    throw new EngineError(`the engine could not be loaded from ${url}: is its server still there?`);
  }
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
