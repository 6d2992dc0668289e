// One instance of the engine's module: text in, text out.

/** What crates/evenair-web/src/boundary.rs exports. */
interface Exports {
  memory: WebAssembly.Memory;
  allocate(length: number): number;
  call(pointer: number, length: number): bigint;
  release(pointer: number, length: number): void;
  panic_message(): bigint;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Instance {
  private readonly exports: Exports;

  constructor(module: WebAssembly.Module) {
    this.exports = new WebAssembly.Instance(module).exports as unknown as Exports;
  }

  /** Size of the linear memory, which never shrinks. */
  get memoryBytes(): number {
    return this.exports.memory.buffer.byteLength;
  }

  /** The answer to a request, both JSON text. After an exception the instance must not be used again. */
  answer(request: string): string {
    const bytes = encoder.encode(request);
    const pointer = this.exports.allocate(bytes.length) >>> 0;
    this.view(pointer, bytes.length).set(bytes);
    const [at, length] = split(this.exports.call(pointer, bytes.length));
    const answer = decoder.decode(this.view(at, length));
    this.exports.release(at, length);
    return answer;
  }

  /** Why the last call has ended with an exception, if it was a panic. */
  get panicMessage(): string | null {
    try {
      const [at, length] = split(this.exports.panic_message());
      return length > 0 ? decoder.decode(this.view(at, length)) : null;
    } catch {
      return null;
    }
  }

  private view(pointer: number, length: number): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, pointer, length);
  }
}

/** Address and length of a text, which share a number. */
function split(both: bigint): [number, number] {
  return [Number((both >> 32n) & 0xffff_ffffn), Number(both & 0xffff_ffffn)];
}
