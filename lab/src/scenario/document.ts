// Values of a resolved scenario by dotted key.

export function valueAt(document: unknown, key: string): unknown {
  return key.split(".").reduce<unknown>((value, name) => {
    if (typeof value !== "object" || value === null) return undefined;
    return (value as Record<string, unknown>)[name];
  }, document);
}
