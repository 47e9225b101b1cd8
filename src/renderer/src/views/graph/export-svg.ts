import type { DrawingColours } from './colours.ts';
import { degreesOf, nameOf, pairsOf, sizeOf } from './drawing.ts';
import type { Picture } from './picture.ts';
import type { Place } from './places.ts';

const [width, height, margin] = [1600, 1200, 90];
/** Of larger pictures only what is open, on a path or has many relationships gets its name. */
const mostLabels = 200;

/** A picture as an SVG file, whole, in the colours that the page has. Nothing in it runs or is loaded. */
export function svgOf(picture: Picture, places: ReadonlyMap<string, Place>, colours: DrawingColours): string {
  const at = fitted(picture, places);
  const degrees = degreesOf(picture);
  const degreeOf = (id: string) => degrees.get(id) ?? 0;
  const lines = pairsOf(picture.edges).map(([from, to, edges]) => {
    const [a, b] = [at(from), at(to)];
    const onPath = edges.some((edge) => edge.onPath);
    const title = escaped(edges.map(({ predicate }) => predicate).join(', '));
    return `<line x1="${a.x}" y1="${a.y}" x2="${b.x}" y2="${b.y}" stroke="${onPath ? colours.accent : colours.line}" stroke-width="${onPath ? 4 : 1.2}"><title>${title}</title></line>`;
  });
  const dots = picture.nodes.map((node) => {
    const { x, y } = at(node.id);
    const size = round(sizeOf(node, degreeOf(node.id), picture.nodes.length));
    return `<circle cx="${x}" cy="${y}" r="${size}" fill="${colours.type(node.type)}"><title>${escaped(`${nameOf(node)} (${node.type.slice(0, 100)})`)}</title></circle>`;
  });
  const named = picture.nodes
    .toSorted((a, b) => Number(b.open || b.onPath) - Number(a.open || a.onPath) || degreeOf(b.id) - degreeOf(a.id))
    .slice(0, mostLabels);
  const names = named.map((node) => {
    const { x, y } = at(node.id);
    return `<text x="${round(x + sizeOf(node, degreeOf(node.id), picture.nodes.length) + 4)}" y="${round(y + 4)}">${escaped(nameOf(node))}</text>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<rect width="${width}" height="${height}" fill="${colours.surface}"/>
<g>
${lines.join('\n')}
</g>
<g stroke="${colours.surface}" stroke-width="1">
${dots.join('\n')}
</g>
<g font-family="Inter, 'Segoe UI', system-ui, sans-serif" font-size="13" fill="${colours.ink}" stroke="${colours.surface}" stroke-width="3" paint-order="stroke">
${names.join('\n')}
</g>
</svg>
`;
}

/** An SVG file as a PNG file of twice its size. */
export async function pngOf(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image(width, height);
    image.src = url;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: 2 * width, height: 2 * height });
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
    if (!blob) throw new Error('The browser made no picture.');
    return blob;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Places on the page: all of the picture, as large as it can be. As in WebGL, y goes up. */
function fitted({ nodes }: Picture, places: ReadonlyMap<string, Place>): (id: string) => Place {
  const all = nodes.flatMap(({ id }) => places.get(id) ?? []);
  const [x, y] = [span(all.map((place) => place.x)), span(all.map((place) => place.y))];
  const scale = Math.min((width - 2 * margin) / Math.max(1, x.length), (height - 2 * margin) / Math.max(1, y.length));
  return (id) => {
    const place = places.get(id) ?? { x: x.middle, y: y.middle };
    return {
      x: round(width / 2 + (place.x - x.middle) * scale),
      y: round(height / 2 - (place.y - y.middle) * scale),
    };
  };
}

function span(values: number[]): { middle: number; length: number } {
  const sorted = Float64Array.from(values).sort();
  const [least, most] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  return { middle: (least + most) / 2, length: most - least };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Without what XML has no place for. */
function escaped(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]|[\p{Cs}\ufffe\uffff]/gu, '').replace(/[&<>"']/g, (sign) => entities[sign]!);
}
