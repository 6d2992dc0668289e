// The present scenario as commands and as Python.

export interface Present {
  /** The name, if it is a built-in scenario as it is. */
  builtIn: string | undefined;
  toml: string;
  seed: number;
  runs: number;
}

/** Commands of a POSIX shell that repeat what the page shows. */
export function commandLine({ builtIn, toml, seed, runs }: Present): string {
  const options = `--seed ${seed} --runs ${runs}`;
  if (builtIn) return `evenair run ${builtIn} ${options}`;
  const text = toml.endsWith("\n") ? toml : `${toml}\n`;
  const end = delimiter(text);
  return `cat > scenario.toml <<'${end}'\n${text}${end}\nevenair run scenario.toml ${options}`;
}

export function python({ builtIn, toml, seed, runs }: Present): string {
  const scenario = builtIn ? JSON.stringify(builtIn) : "ea.Scenario(**tomllib.loads(TOML))";
  return [
    ...(builtIn ? [] : ["import tomllib", ""]),
    "import evenair as ea",
    "",
    ...(builtIn ? [] : [`TOML = ${pythonText(toml)}`, ""]),
    `runs = ea.run(${scenario}, seed=${seed}, runs=${runs})`,
    "print([run.jain_index for run in runs])",
    "print(runs.flows)",
  ].join("\n");
}

/** A word that ends the text and is no line of it. */
function delimiter(text: string): string {
  const lines = new Set(text.split("\n"));
  let word = "TOML";
  while (lines.has(word)) word += "_";
  return word;
}

/** A literal in triple quotes: readable, and exactly the text. */
function pythonText(text: string): string {
  const escape = (quotes: string) => '\\"'.repeat(quotes.length);
  // A quote at the end would be the first of those that end the literal.
  return `"""\\\n${text.replaceAll("\\", "\\\\").replace(/"""|"$/g, escape)}"""`;
}
