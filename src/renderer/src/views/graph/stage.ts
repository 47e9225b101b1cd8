import Sigma from 'sigma';
import { EdgeArrowProgram, EdgeLineProgram, NodeCircleProgram, NodePointProgram } from 'sigma/rendering';
import { animateNodes } from 'sigma/utils';
import { type DrawingColours, drawingColours } from './colours.ts';
import { hoverDrawing } from './draw-label.ts';
import { type Drawing, type DrawnEdge, type DrawnNode, drawingOf } from './drawing.ts';
import { Layout, type LayoutAnswer } from './layout.ts';
import type { Picture } from './picture.ts';
import { type Place, placesOf } from './places.ts';

interface StageOptions {
  onPoint(id: string): void;
  /** Told when everything begins to find its place, and when it has. */
  onArranging(arranging: boolean): void;
}

/** More relationships than this are drawn without their names. */
const mostNames = 40;
/** So many entities glide to their places; of more one sees the way there as it is found. */
const mostGliding = 300;

/** A picture on WebGL, and where everything in it is. @throws where the browser has no WebGL */
export class Stage implements Disposable {
  readonly #sigma: Sigma<DrawnNode, DrawnEdge>;
  readonly #layout: Layout;
  readonly #element: HTMLElement;
  readonly #options: StageOptions;
  readonly #resized: ResizeObserver;
  #drawing: Drawing;
  #places = new Map<string, Place>();
  #picture: Picture = { nodes: [], edges: [] };
  #colours: DrawingColours;
  #active: string | null = null;
  #glide: (() => void) | null = null;

  constructor(element: HTMLElement, options: StageOptions) {
    this.#element = element;
    this.#options = options;
    this.#colours = drawingColours(element, () => 'var(--type-other)');
    this.#drawing = drawingOf(this.#picture, this.#places, this.#colours, null);
    this.#sigma = new Sigma<DrawnNode, DrawnEdge>(this.#drawing, element, {
      allowInvalidContainer: true,
      nodeProgramClasses: { circle: NodeCircleProgram, point: NodePointProgram },
      edgeProgramClasses: { arrow: EdgeArrowProgram, line: EdgeLineProgram },
      defaultDrawNodeHover: hoverDrawing(() => this.#colours),
      labelFont: getComputedStyle(element).fontFamily,
      edgeLabelFont: getComputedStyle(element).fontFamily,
      labelSize: 13,
      edgeLabelSize: 11,
      labelRenderedSizeThreshold: 7,
      stagePadding: 60,
      minCameraRatio: 0.02,
      maxCameraRatio: 4,
      doubleClickZoomingRatio: 1,
    });
    this.#sigma.on('clickNode', ({ node }) => options.onPoint(node));
    this.#sigma.on('enterNode', () => this.#cursor('pointer'));
    this.#sigma.on('leaveNode', () => this.#cursor(''));
    this.#layout = new Layout((answer) => this.#take(answer));
    this.#resized = new ResizeObserver(() => {
      this.#sigma.resize();
      this.#sigma.scheduleRefresh();
    });
    this.#resized.observe(element);
  }

  /** Draws a picture, in the colours of now. Where it is another one, everything finds its place anew. */
  show(picture: Picture, ofType: (type: string) => string): void {
    const same = picture === this.#picture;
    this.#picture = picture;
    if (!same) this.#places = placesOf(picture, this.#places);
    this.#paint(ofType);
    if (!same) this.arrange();
  }

  #paint(ofType: (type: string) => string): void {
    this.#colours = drawingColours(this.#element, ofType);
    this.#sigma.setSettings({
      labelColor: { color: this.#colours.ink },
      edgeLabelColor: { color: this.#colours.quiet },
      renderEdgeLabels: this.#picture.edges.length <= mostNames,
    });
    this.#glide?.();
    this.#glide = null;
    this.#drawing = drawingOf(this.#picture, this.#places, this.#colours, this.#active);
    this.#sigma.setGraph(this.#drawing);
  }

  /** Lets everything find its place. */
  arrange(): void {
    const ids = this.#drawing.nodes();
    const places = new Float32Array(ids.length * 2);
    for (const [i, id] of ids.entries()) {
      const { x, y } = this.#drawing.getNodeAttributes(id);
      places.set([x, y], 2 * i);
    }
    const numbers = new Map(ids.map((id, i) => [id, i]));
    const ends = new Uint32Array(
      this.#drawing.mapEdges((_edge, _attributes, from, to) => [numbers.get(from)!, numbers.get(to)!]).flat(),
    );
    this.#options.onArranging(true);
    this.#layout.start({ places, ends, slices: !this.#still && ids.length > mostGliding });
  }

  /** Marks one entity. */
  point(id: string | null): void {
    const before = this.#active;
    this.#active = id;
    if (before !== null && this.#drawing.hasNode(before)) this.#drawing.setNodeAttribute(before, 'highlighted', false);
    if (id !== null && this.#drawing.hasNode(id)) this.#drawing.setNodeAttribute(id, 'highlighted', true);
  }

  /** Brings an entity into the middle if it is out of sight. */
  reveal(id: string): void {
    const at = this.#sigma.getNodeDisplayData(id);
    if (!at) return;
    const { x, y } = this.#sigma.framedGraphToViewport(at);
    const { width, height } = this.#sigma.getDimensions();
    if (x < 20 || y < 20 || x > width - 20 || y > height - 20) this.#move({ x: at.x, y: at.y });
  }

  /** Shows all of it. */
  fit(): void {
    this.#move({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
  }

  /** Goes nearer, or further away with a number above one. */
  zoom(by: number): void {
    this.#move({ ratio: this.#sigma.getCamera().ratio * by });
  }

  get places(): ReadonlyMap<string, Place> {
    return this.#places;
  }

  get colours(): DrawingColours {
    return this.#colours;
  }

  [Symbol.dispose](): void {
    this.#glide?.();
    this.#resized.disconnect();
    this.#layout[Symbol.dispose]();
    this.#sigma.kill();
  }

  #take({ places, done }: LayoutAnswer): void {
    for (const [i, id] of this.#drawing.nodes().entries())
      this.#places.set(id, { x: places[2 * i]!, y: places[2 * i + 1]! });
    if (!this.#still && this.#drawing.order <= mostGliding) {
      this.#glide = animateNodes(this.#drawing, Object.fromEntries(this.#places), {
        duration: 400,
        easing: 'quadraticOut',
      });
    } else {
      // Only places have changed, and no event says so: nothing else of each entity is looked at again.
      this.#drawing.forEachNode((id, attributes) => Object.assign(attributes, this.#places.get(id)));
      this.#sigma.refresh({ partialGraph: {}, schedule: true });
    }
    if (done) this.#options.onArranging(false);
  }

  #move(to: { x?: number; y?: number; ratio?: number; angle?: number }): void {
    const camera = this.#sigma.getCamera();
    if (this.#still) camera.setState(to);
    else void camera.animate(to, { duration: 250 });
  }

  get #still(): boolean {
    return matchMedia('(prefers-reduced-motion: reduce)').matches;
  }

  #cursor(cursor: string): void {
    this.#element.style.cursor = cursor;
  }
}
