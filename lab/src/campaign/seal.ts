// The checksum in a Parquet file of evenair: python/evenair/files/parquet.py.
//
// Between the data and the footer of the file are the text MARK and the SHA-256 of all other bytes.

const MARK = new TextEncoder().encode("evenair-sha256-1");
const SEAL_BYTES = MARK.length + 32;
/** At the end of a file: the length of the footer, and "PAR1". */
const END_BYTES = 8;
/** A mark with at most so many wrong bits is a damaged one. */
const NEAR_BITS = 16;

/**
 * Whether a file has a checksum, which fits. Resolves to false if it has none, or if it cannot be verified:
 * browsers calculate SHA-256 only on pages of secure addresses, such as https: and 127.0.0.1. Rejects with an Error
 * of one line if it does not fit.
 */
export async function isSealed(name: string, buffer: ArrayBuffer): Promise<boolean> {
  const bytes = new Uint8Array(buffer);
  const footer = footerOf(bytes);
  const start = footer - SEAL_BYTES;
  if (start >= 0) {
    const wrong = wrongBits(bytes, start);
    if (wrong === 0) {
      if (!globalThis.crypto?.subtle) return false;
      const others = new Uint8Array(bytes.length - SEAL_BYTES);
      others.set(bytes.subarray(0, start));
      others.set(bytes.subarray(footer), start);
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", others));
      if (digest.every((byte, k) => byte === bytes[start + MARK.length + k])) return true;
      throw new Error(`${name}: is damaged: its content is not what was written`);
    }
    if (wrong <= NEAR_BITS) throw new Error(`${name}: is damaged: its checksum cannot be read`);
  }
  if (hasMark(bytes)) {
    throw new Error(`${name}: is damaged: its checksum is not where the file ends`);
  }
  return false;
}

/** Where the footer starts; -1 if the file does not end like a Parquet file. */
function footerOf(bytes: Uint8Array): number {
  const end = bytes.length - END_BYTES;
  if (end < 0 || String.fromCharCode(...bytes.subarray(end + 4)) !== "PAR1") return -1;
  return end - new DataView(bytes.buffer, bytes.byteOffset + end).getUint32(0, true);
}

function wrongBits(bytes: Uint8Array, start: number): number {
  let count = 0;
  for (const [k, byte] of MARK.entries()) {
    for (let wrong = byte ^ bytes[start + k]!; wrong; wrong &= wrong - 1) count += 1;
  }
  return count;
}

function hasMark(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(MARK[0]!); at >= 0; at = bytes.indexOf(MARK[0]!, at + 1)) {
    if (MARK.every((byte, k) => byte === bytes[at + k])) return true;
  }
  return false;
}
