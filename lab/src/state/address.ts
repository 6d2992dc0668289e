// The fragment of the page's address: `#scenario=TEXT&seed=1&seeds=10&tour=uploads-win/2`. TEXT is the
// TOML, compressed (deflate-raw) and in base64url. It is read as text, and never executed.

export interface Address {
  scenario?: string;
  seed?: number;
  seeds?: number;
  /** Name and step of a guided tour. */
  tour?: string;
  /** The section that is shown. */
  section?: string;
}

/** A link cannot make the page unpack more than this. */
const LIMIT_BYTES = 1_000_000;

/** Reads a fragment. Rejects with an Error of one line. */
export async function read(fragment: string): Promise<Address> {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const address: Address = {};
  const scenario = fields.get("scenario");
  if (scenario) address.scenario = await unpack(scenario);
  for (const name of ["seed", "seeds"] as const) {
    const text = fields.get(name);
    if (text && /^\d{1,9}$/.test(text)) address[name] = Number(text);
  }
  for (const name of ["tour", "section"] as const) {
    const text = fields.get(name);
    if (text && /^[a-z0-9/-]{1,100}$/.test(text)) address[name] = text;
  }
  return address;
}

export async function write(address: Address): Promise<string> {
  const { scenario, ...others } = address;
  const fields = new URLSearchParams();
  if (scenario) fields.set("scenario", await pack(scenario));
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined) fields.set(name, String(value));
  }
  // Slashes need no escape in a fragment.
  return `#${fields.toString().replaceAll("%2F", "/")}`;
}

async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(packed: string): Promise<string> {
  try {
    const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let text = "";
    let size = 0;
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      size += value.length;
      if (size > LIMIT_BYTES) throw new Error("too long");
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    throw new Error("The link has no readable scenario: it may have been cut off.");
  }
}
