// Tables as Parquet files.
import { parquetWriteBuffer } from "hyparquet-writer";
import type { Rows } from "../../pictures/index.ts";

/** Numbers are DOUBLE, as JSON has one kind of number; only seeds are whole. */
export function parquet([header, ...rows]: Rows): ArrayBuffer {
  const columnData = header.map((name, index) => {
    const data = rows.map((row) => row[index] ?? null);
    if (name === "seed") return { name, data, type: "INT32" as const, nullable: false };
    const isNumber = data.some((value) => typeof value === "number");
    return { name, data, type: isNumber ? ("DOUBLE" as const) : ("STRING" as const) };
  });
  return parquetWriteBuffer({ columnData });
}
