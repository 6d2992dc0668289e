// A picture as a file: an SVG image that looks as the picture on the page, and a PNG image of it.

/** What makes the SVG elements of a drawing on a canvas, with the origin at its top left corner. */
const drawings = new WeakMap<Element, () => string>();

/** From now on the content of `element` is exported as `toSvg` says. */
export function registerDrawing(element: Element, toSvg: () => string): void {
  drawings.set(element, toSvg);
}

/** A figure as an SVG image: its drawings, and its words, where they are on the page. */
export function pictureSvg(figure: HTMLElement): string {
  const { left, top, width } = figure.getBoundingClientRect();
  // What a figure beside it adds to its height is left out.
  const drawn = figure.querySelector(".picture-body") ?? figure;
  const height = Math.ceil(drawn.getBoundingClientRect().bottom - top + MARGIN);
  const background = getComputedStyle(figure).backgroundColor;
  const parts = [...content(figure, left, top)].join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<rect width="100%" height="100%" fill="${background}"/>
${parts}
</svg>
`;
}

const MARGIN = 10;

function* content(node: Node, left: number, top: number): Generator<string> {
  if (node instanceof Text) {
    yield* words(node, left, top);
    return;
  }
  if (!(node instanceof Element) || node.hasAttribute("data-no-export")) return;
  const toSvg = drawings.get(node);
  if (toSvg || node instanceof SVGSVGElement) {
    const box = node.getBoundingClientRect();
    const inner = toSvg ? toSvg() : standalone(node as SVGSVGElement);
    yield `<g transform="translate(${round(box.left - left)} ${round(box.top - top)})">${inner}</g>`;
    return;
  }
  for (const child of node.childNodes) yield* content(child, left, top);
}

/** The words of a text node, a `text` element for each line. */
function* words(node: Text, left: number, top: number): Generator<string> {
  if (node.data.trim() === "" || !node.parentElement) return;
  const style = getComputedStyle(node.parentElement);
  const range = document.createRange();
  let line: { y: number; x: number; text: string } | null = null;
  const print = ({ x, y, text }: { x: number; y: number; text: string }) =>
    `<text x="${round(x)}" y="${round(y)}" dominant-baseline="central" fill="${style.color}" ${font(style)}>${escape(text)}</text>`;
  for (const { index, 0: word } of node.data.matchAll(/\S+/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const box = range.getBoundingClientRect();
    const [x, y] = [box.left - left, box.top - top + box.height / 2];
    if (line && Math.abs(line.y - y) < 1) line.text += ` ${word}`;
    else {
      if (line) yield print(line);
      line = { x, y, text: word };
    }
  }
  if (line) yield print(line);
}

/** The properties that style sheets give to elements of a drawing. */
const STYLED = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linejoin",
  "opacity",
  "paint-order",
  "text-anchor",
  "dominant-baseline",
];

/** The content of an SVG element with the present colours, which needs no style sheet. */
function standalone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, k) => {
    const style = getComputedStyle(originals[k]!);
    for (const property of STYLED) {
      const value = style.getPropertyValue(property);
      if (value !== "") element.setAttribute(property, value.replaceAll('"', ""));
    }
    element.removeAttribute("class");
    element.removeAttribute("style");
    if (element instanceof SVGTextElement) {
      element.setAttribute("font-family", style.fontFamily.replaceAll('"', "'"));
      element.setAttribute("font-size", style.fontSize);
      element.setAttribute("font-weight", style.fontWeight);
    }
  });
  const serializer = new XMLSerializer();
  return [...copy.childNodes].map((child) => serializer.serializeToString(child)).join("");
}

/** The attributes of a font. */
function font(style: CSSStyleDeclaration): string {
  const family = style.fontFamily.replaceAll('"', "'");
  return `font-family="${family}" font-size="${style.fontSize}" font-weight="${style.fontWeight}"`;
}

export function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** With two pixels for each of the SVG image. */
export async function toPng(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width * 2, image.height * 2];
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) =>
        blob ? resolve(blob) : reject(new Error("the picture is too large")),
      );
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Offers a file for download. */
export function save(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The download has its own reference by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
