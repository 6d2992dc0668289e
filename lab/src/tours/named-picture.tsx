// The pictures that a tour or a figure of the documentation asks for.
import { PICTURES, type PictureOf } from "../pictures/index.ts";

/** Nothing before the first result. */
export function NamedPictures({ names, a, b }: PictureOf & { names: string[] }) {
  if (a.runs.length === 0) return null;
  return (
    <>
      {names.map((name) => {
        const Picture = PICTURES[name];
        return Picture && <Picture key={name} a={a} b={b} />;
      })}
    </>
  );
}
