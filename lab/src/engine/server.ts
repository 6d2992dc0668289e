// `evenair lab`, if it has served this page: its API, and whether it answers.
import { signal, type ReadonlySignal } from "@preact/signals";
import { EngineError } from "./engine.ts";

/** What the server says about itself. */
export interface About {
  version: string;
  result_version: number;
  /** How many runs it makes at once. */
  parallel: number;
  /** The scenario that it was started with, as TOML. */
  scenario: string | null;
  /** What it follows: the number of a source is its place. */
  live: { kind: "sweep" | "testbed" | "gateway"; name: string }[];
}

/** "refused": it was started again, with another token. */
export type ServerState = "connected" | "stopped" | "refused";

/** The server does not answer, or no longer accepts the token. */
export class ServerGone extends Error {}

/** Where tabs keep the token: one that is opened by a new address tells the others. */
const STORED = "evenair-lab-token";

/** How often a server is asked whether it is there; at first sooner when it has gone. */
const CALM_MS = 5000;
const EAGER_MS = 500;

export class Server {
  readonly state: ReadonlySignal<ServerState>;
  readonly about: ReadonlySignal<About>;
  private readonly writableState = signal<ServerState>("connected");
  private readonly writableAbout;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private waitMs = CALM_MS;

  constructor(
    about: About,
    private token: string,
  ) {
    this.writableAbout = signal(about);
    this.about = this.writableAbout;
    this.state = this.writableState;
    this.schedule();
    // A hidden page asks nothing.
    document.addEventListener("visibilitychange", () => this.schedule(0));
    addEventListener("storage", ({ key, newValue }) => {
      if (key !== STORED || !newValue) return;
      this.token = newValue;
      this.schedule(0);
    });
  }

  /** Sends a request of the API. Rejects with ServerGone, EngineError, or the signal's reason. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    let response: Response;
    try {
      response = await ask(path, this.token, init);
    } catch (error) {
      if (init.signal?.aborted) throw init.signal.reason;
      this.enter("stopped");
      throw new ServerGone("evenair lab does not answer", { cause: error });
    }
    if (response.status === 503) {
      this.enter("stopped");
      throw new ServerGone("evenair lab is ending");
    }
    if (response.status === 403) {
      this.enter("refused");
      throw new ServerGone("evenair lab has another token");
    }
    this.enter("connected");
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  /** Sends a document and returns what the answer has under "ok". Rejects as `fetch`. */
  async post<Answer>(path: string, body: unknown, signal?: AbortSignal): Promise<Answer> {
    const init = { method: "POST", body: JSON.stringify(body), signal: signal ?? null };
    const response = await this.fetch(path, init);
    const answer = await this.reading(response.json(), signal);
    if (answer.error) throw engineError(answer.error);
    return answer.ok;
  }

  /** The documents of a stream of lines, several at once, until its end. Rejects as `fetch`. */
  async *lines<Line>(path: string, signal: AbortSignal): AsyncGenerator<Line[]> {
    const response = await this.fetch(path, { signal });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await this.reading(reader.read(), signal);
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop()!;
      const documents = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Line);
      if (documents.length > 0) yield documents;
    }
  }

  /** Waits for a part of an answer, whose connection can break. */
  private async reading<T>(part: Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await part;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      this.enter("stopped");
      throw new ServerGone("evenair lab has ended", { cause: error });
    }
  }

  private enter(state: ServerState): void {
    const was = this.writableState.value;
    this.writableState.value = state;
    if (was === state) return;
    this.waitMs = EAGER_MS;
    this.schedule();
  }

  /** Asks after a time whether it is there. One that has refused the token waits for another. */
  private schedule(delay?: number): void {
    clearTimeout(this.timer);
    const { value } = this.writableState;
    if (document.hidden || (value === "refused" && delay === undefined)) return;
    this.timer = setTimeout(() => void this.check(), delay ?? this.waitMs);
    this.waitMs = Math.min(2 * this.waitMs, CALM_MS);
  }

  private async check(): Promise<void> {
    try {
      const response = await this.fetch("about");
      const about = (await this.reading(response.json())) as About;
      const isNew = JSON.stringify(about) !== JSON.stringify(this.writableAbout.value);
      if (isNew) this.writableAbout.value = about;
    } catch {
      // The state says it.
    }
    this.schedule();
  }
}

/**
 * The server of this page, if it is `evenair lab`.
 *
 * The token of the address moves to the browser's storage, so that links to the page do not have it.
 */
export async function detectServer(): Promise<Server | null> {
  const address = new URL(location.href);
  const token = address.searchParams.get("token") ?? stored();
  if (!token) return null; // a static page asks for nothing that is not there
  let about: About;
  try {
    const response = await ask("about", token, {});
    if (!response.ok) return null;
    about = (await response.json()) as About;
  } catch {
    return null;
  }
  try {
    localStorage.setItem(STORED, token);
    address.searchParams.delete("token");
    history.replaceState(history.state, "", address);
  } catch {
    // Without storage the token stays in the address.
  }
  return new Server(about, token);
}

function stored(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

function ask(path: string, token: string, init: RequestInit): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}` };
  return fetch(`api/${path}`, { ...init, headers, cache: "no-store", credentials: "omit" });
}

interface ErrorDocument {
  message: string;
  field?: string;
  line?: number;
}

async function errorOf(response: Response): Promise<EngineError> {
  try {
    return engineError(((await response.json()) as { error: ErrorDocument }).error);
  } catch {
    return new EngineError(`evenair lab answers with status ${response.status}`);
  }
}

function engineError({ message, field, line }: ErrorDocument): EngineError {
  return new EngineError(message, field ?? undefined, line ?? undefined);
}
