// Errors as one line.
import { EngineError } from "../engine/engine.ts";

export function describe(error: unknown): string {
  if (error instanceof EngineError)
    return error.field ? `${error.field}: ${error.message}` : error.message;
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n")[0]!;
}
