// The Parquet file of a campaign: `evenair sweep`, docs/campaigns.md.
import { decompress } from "fzstd";
import { parquetMetadataAsync, parquetRead, type FileMetaData } from "hyparquet";
import { isSealed } from "./seal.ts";

export type Value = number | string | boolean | null;

/** What the file says of its campaign. */
export interface About {
  /** The keys that were varied. */
  keys: string[];
  /** The scenario that was varied, as it was written. */
  scenario: Record<string, unknown> | null;
  command: string | null;
}

export interface Column {
  name: string;
  isNumeric: boolean;
}

/** The runs of a campaign: those of a file, or of a sweep that runs. */
export interface CampaignTable {
  readonly name: string;
  readonly about: About;
  readonly columns: Column[];
  readonly rows: number;
  /** A file whose damage would not be noticed. */
  readonly isUnchecked?: boolean;
  /** The values of a column, in the order of the rows. Rejects with an Error of one line. */
  column(name: string): Promise<Value[]>;
}

/** Columns are read when they are needed. */
export class CampaignFile implements CampaignTable {
  private readonly known = new Map<string, Promise<Value[]>>();

  private constructor(
    readonly name: string,
    private readonly buffer: ArrayBuffer,
    private readonly metadata: FileMetaData,
    readonly columns: Column[],
    readonly about: About,
    readonly isUnchecked: boolean,
  ) {}

  /** Rejects with an Error of one line. */
  static async open(name: string, buffer: ArrayBuffer): Promise<CampaignFile> {
    const isUnchecked = !(await isSealed(name, buffer));
    let metadata: FileMetaData;
    try {
      metadata = await parquetMetadataAsync(buffer);
    } catch {
      throw new Error(`${name}: not a Parquet file`);
    }
    const about = aboutOf(name, metadata);
    return new CampaignFile(name, buffer, metadata, columnsOf(metadata), about, isUnchecked);
  }

  get rows(): number {
    return Number(this.metadata.num_rows);
  }

  column(name: string): Promise<Value[]> {
    let column = this.known.get(name);
    if (!column) {
      column = this.read(name);
      this.known.set(name, column);
    }
    return column;
  }

  private async read(name: string): Promise<Value[]> {
    if (this.rows === 0) return [];
    try {
      let values: Value[] = [];
      await parquetRead({
        file: this.buffer,
        metadata: this.metadata,
        columns: [name],
        compressors: {
          ZSTD: (input, length) => decompress(input, new Uint8Array(length)),
        },
        onComplete: (rows) => (values = rows.map(([value]) => plain(value))),
      });
      return values;
    } catch (error) {
      const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
      throw new Error(`${this.name}: column ${name} cannot be read: ${reason}`);
    }
  }
}

function columnsOf({ schema }: FileMetaData): Column[] {
  const isNumber = (type: string | undefined) =>
    type === "DOUBLE" || type === "FLOAT" || type === "INT32" || type === "INT64";
  // The first element is the root; a column with parts is no column of a campaign.
  return schema
    .slice(1)
    .filter((element) => element.type !== undefined)
    .map((element) => ({ name: element.name, isNumeric: isNumber(element.type) }));
}

function aboutOf(name: string, { key_value_metadata: metadata }: FileMetaData): About {
  const text = metadata?.find(({ key }) => key === "evenair")?.value ?? "{}";
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Error(`${name}: what it says of its campaign is not JSON`);
  }
  const { keys, scenario, command } = isTable(found) ? found : {};
  return {
    keys: Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [],
    scenario: isTable(scenario) ? scenario : null,
    command: typeof command === "string" ? command : null,
  };
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * 64-bit integers as numbers, or as text where a number is not exact: a seed may have 64 bits. What is no
 * number (NaN) is a missing value, as other programs write it.
 */
function plain(value: unknown): Value {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}
