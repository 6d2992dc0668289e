// Workers that share one compiled module. A request goes to an idle worker, or waits for one.
import { Code, type Loaded } from "./code.ts";
import { EngineError } from "./engine.ts";

export type ToWorker = { module: WebAssembly.Module } | { request: string };
export type FromWorker = { answer: string; memory: number } | { trap: string };

/** A run that nobody wants any more may go on until this age; then its worker is replaced. */
const PATIENCE_MS = 150;

/** A worker whose memory has grown beyond this ends after its answer: memory never shrinks. */
const MEMORY_BYTES = 128 * 2 ** 20;

/** A request, and who waits for its answer. */
interface Task {
  request: string;
  resolve(answer: string): void;
  reject(reason: unknown): void;
}

interface Member {
  worker: Worker;
  /** What it works at; undefined if it is idle. */
  task: Task | undefined;
  /** Since when. */
  since: number;
}

type Answer<T> = { ok: T } | { error: { message: string; field?: string; line?: number } };

export class Workers {
  private readonly members = new Set<Member>();
  private readonly waiting: Task[] = [];

  /**
   * `url` is the page's folder, with worker.js and evenair.wasm. At most `count` workers are started, each
   * when it is first needed.
   */
  constructor(
    private readonly url: string | URL,
    readonly count: number = navigator.hardwareConcurrency || 2,
    private readonly code = new Code(url),
  ) {}

  /** Other workers with the same code, for requests that must not wait behind those of these. */
  apart(count: number): Workers {
    return new Workers(this.url, count, this.code);
  }

  /** The `ok` of the answer to a request. Rejects with EngineError, or with the signal's reason. */
  async call<T>(request: object, signal?: AbortSignal): Promise<T> {
    const answer = JSON.parse(await this.ask(JSON.stringify(request), signal)) as Answer<T>;
    signal?.throwIfAborted();
    if ("error" in answer) {
      const { message, field, line } = answer.error;
      throw new EngineError(message, field, line);
    }
    return answer.ok;
  }

  /** Ends all workers. Requests that wait or are under way are rejected. */
  close(): void {
    const closed = new EngineError("the engine was closed");
    for (const member of this.members) {
      this.remove(member);
      member.task?.reject(closed);
    }
    this.waiting.splice(0).forEach((task) => task.reject(closed));
  }

  private async ask(request: string, signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted();
    const code = await this.code.load();
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const task: Task = { request, resolve, reject };
      signal?.addEventListener("abort", () => this.abort(task, signal, code), { once: true });
      this.waiting.push(task);
      this.dispatch(code);
    });
  }

  /** Gives waiting requests to idle workers, and starts workers up to the count. */
  private dispatch(code: Loaded): void {
    while (this.waiting.length > 0) {
      const member = this.idle() ?? this.start(code);
      if (!member) return;
      member.task = this.waiting.shift()!;
      member.since = performance.now();
      member.worker.postMessage({ request: member.task.request } satisfies ToWorker);
    }
  }

  private idle(): Member | undefined {
    return [...this.members].find((member) => !member.task);
  }

  private start(code: Loaded): Member | undefined {
    if (this.members.size >= this.count) return undefined;
    const worker = new Worker(code.script, { type: "module" });
    const member: Member = { worker, task: undefined, since: 0 };
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      const task = member.task;
      member.task = undefined;
      if ("trap" in data) {
        this.remove(member);
        task?.reject(new EngineError(`the engine has failed: ${data.trap}`));
      } else {
        if (data.memory > MEMORY_BYTES) this.remove(member);
        task?.resolve(data.answer);
      }
      this.dispatch(code);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.remove(member);
      const reason = event.message || "the browser gives no reason";
      member.task?.reject(new EngineError(`the engine could not be started: ${reason}`));
      this.dispatch(code);
    };
    worker.postMessage({ module: code.module } satisfies ToWorker);
    this.members.add(member);
    return member;
  }

  private remove(member: Member): void {
    member.worker.terminate();
    this.members.delete(member);
  }

  /** A task that waits is dropped. One under way may end soon, or ends with its worker. */
  private abort(task: Task, signal: AbortSignal, code: Loaded): void {
    task.reject(signal.reason);
    const place = this.waiting.indexOf(task);
    if (place >= 0) this.waiting.splice(place, 1);
    const member = [...this.members].find((member) => member.task === task);
    if (!member) return;
    const end = () => {
      if (member.task !== task) return;
      this.remove(member);
      this.dispatch(code);
    };
    setTimeout(end, Math.max(0, PATIENCE_MS - (performance.now() - member.since)));
  }
}
