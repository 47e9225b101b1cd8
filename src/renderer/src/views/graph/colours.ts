import './graph.css';

/** So many types have a colour of their own, those that came first; all others share one. */
const own = 10;

/** The colour of each type, as a CSS value that is another one in the dark. */
export function typeColours(types: Iterable<string>): (type: string) => string {
  const places = new Map([...new Set(types)].slice(0, own).map((type, i) => [type, i + 1]));
  return (type) => {
    const place = places.get(type);
    return place === undefined ? 'var(--type-other)' : `var(--type-${place})`;
  };
}

/** Colours as they are now where an element stands, for what is drawn by itself. */
function colourReader(element: HTMLElement): (value: string) => string {
  const known = new Map<string, string>();
  const probe = document.createElement('span');
  return (value) => {
    let colour = known.get(value);
    if (colour === undefined) {
      element.append(probe);
      probe.style.color = value;
      colour = getComputedStyle(probe).color;
      probe.remove();
      known.set(value, colour);
    }
    return colour;
  };
}

export interface DrawingColours {
  type(type: string): string;
  ink: string;
  quiet: string;
  paper: string;
  surface: string;
  line: string;
  accent: string;
}

/** All colours of a drawing, as they are now. */
export function drawingColours(element: HTMLElement, ofType: (type: string) => string): DrawingColours {
  const read = colourReader(element);
  return {
    type: (type) => read(ofType(type)),
    ink: read('var(--color-ink)'),
    quiet: read('var(--color-quiet)'),
    paper: read('var(--color-paper)'),
    surface: read('var(--color-surface)'),
    line: read('var(--graph-edge)'),
    accent: read('var(--color-accent)'),
  };
}
