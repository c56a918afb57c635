/** Mouse, pen and touch: recognise presses, long presses, drags, pinches and panning. */
import { isZoomed, type Zoom } from "./viewport";

/** The fields of a pointer event that are used. */
export interface Pointed {
  pointerId: number;
  pointerType: string;
  button: number;
  clientX: number;
  clientY: number;
  type: string;
}
export interface PointerHost {
  cellAt(clientX: number, clientY: number): string | null;
  zoom(): Zoom;
  /** pixels for each unit of the drawing */
  scale(): number;
  pan(x: number, y: number): void;
  zoomAt(k: number, clientX: number, clientY: number): void;
  /** whether something could be dragged from that cell */
  draggable(cell: string): boolean;
  hover(cell: string | null): void;
  choose(cell: string): void;
  drag(from: string, to: string): void;
  /** answers a long press; null if it has no meaning here */
  long: ((cell: string, clientX: number, clientY: number) => void) | null;
}
/** pixels by which a still finger may move */
const TREMOR = 9;
/** milliseconds that make a press long */
const LONG = 480;

interface Press {
  cell: string | null;
  x: number;
  y: number;
  moved: boolean;
  /** a long press that has been answered */
  done: boolean;
  panX: number;
  panY: number;
}

export class PointerInput {
  readonly #host: PointerHost;
  readonly #pointers = new Map<number, { x: number; y: number }>();
  #press: Press | null = null;
  #pinch: { distance: number; k: number } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: PointerHost) {
    this.#host = host;
  }

  /** Whether the current press has already been answered as a long one. */
  get answered(): boolean {
    return this.#press?.done ?? false;
  }

  /** Return the distance of two fingers and the point between them. */
  #span(): { distance: number; x: number; y: number } | null {
    const [a, b] = [...this.#pointers.values()];
    if (this.#pointers.size !== 2 || !a || !b) return null;
    return { distance: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  }

  down(event: Pointed): void {
    if (event.button > 0) return;
    const host = this.#host;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    clearTimeout(this.#timer);
    const span = this.#span();
    const zoom = host.zoom();
    if (span) {
      this.#pinch = { distance: span.distance, k: zoom.k };
      this.#press = null;
      return;
    }
    const cell = host.cellAt(event.clientX, event.clientY);
    const [x, y] = [event.clientX, event.clientY];
    const press: Press = { cell, x, y, moved: false, done: false, panX: zoom.x, panY: zoom.y };
    this.#press = press;
    if (event.pointerType !== "mouse") host.hover(cell);
    if (cell && host.long)
      this.#timer = setTimeout(() => {
        if (this.#press !== press || press.moved) return;
        press.done = true;
        host.hover(null);
        host.long?.(cell, x, y);
      }, LONG);
  }

  move(event: Pointed): void {
    const host = this.#host;
    if (this.#pointers.has(event.pointerId))
      this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const span = this.#span();
    if (this.#pinch && span) {
      host.zoomAt((this.#pinch.k * span.distance) / this.#pinch.distance, span.x, span.y);
      return;
    }
    const press = this.#press;
    if (press && Math.hypot(event.clientX - press.x, event.clientY - press.y) > TREMOR) {
      press.moved = true;
      clearTimeout(this.#timer);
    }
    const drags = press?.cell && event.pointerType === "mouse" && host.draggable(press.cell);
    if (press?.moved && isZoomed(host.zoom()) && !drags) {
      const scale = host.scale();
      host.pan(press.panX - (event.clientX - press.x) / scale, press.panY - (event.clientY - press.y) / scale);
      host.hover(null);
      return;
    }
    if (event.pointerType === "mouse" || press) host.hover(host.cellAt(event.clientX, event.clientY));
  }

  /** The pointer is lifted, or the browser cancels it. */
  up(event: Pointed): void {
    const host = this.#host;
    this.#pointers.delete(event.pointerId);
    clearTimeout(this.#timer);
    if (this.#pinch) {
      if (this.#pointers.size === 0) this.#pinch = null;
      host.hover(null);
      return;
    }
    const press = this.#press;
    this.#press = null;
    if (event.pointerType !== "mouse") host.hover(null);
    if (!press || press.done || event.type === "pointercancel") return;
    const cell = host.cellAt(event.clientX, event.clientY);
    if (!cell) return;
    if (cell === press.cell) host.choose(cell);
    else if (press.moved && !isZoomed(host.zoom())) {
      if (press.cell && host.draggable(press.cell)) host.drag(press.cell, cell);
      else if (event.pointerType !== "mouse") host.choose(cell);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
