/** Mouse, pen and touch: recognise presses, long presses, drags, slides, pinches, panning and drawing, as web/README.md
 * says. */
import { isZoomed, type Zoom } from "./viewport";

/** The fields of a pointer event that are used. */
export interface Pointed {
  pointerId: number;
  pointerType: string;
  button: number;
  buttons?: number;
  clientX: number;
  clientY: number;
  type: string;
  shiftKey?: boolean;
  altKey?: boolean;
}
export interface PointerHost {
  cellAt(clientX: number, clientY: number): string | null;
  zoom(): Zoom;
  /** pixels for each unit of the drawing */
  scale(): number;
  pan(x: number, y: number): void;
  zoomAt(k: number, clientX: number, clientY: number): void;
  /** whether a piece can be dragged from that cell */
  draggable(cell: string): boolean;
  /** `byTouch`: a finger or pen lies on the cell */
  hover(cell: string | null, byTouch: boolean): void;
  choose(cell: string): void;
  drag(from: string, to: string): void;
  /** answers a long press; null if it has no meaning here */
  long: ((cell: string, clientX: number, clientY: number) => void) | null;
  /** whether a press draws instead of choosing */
  draws?(event: Pointed): boolean;
  /** The pointer draws from one cell to another; `done` when it is lifted. `to` is null off the board. */
  draw?(from: string, to: string | null, event: Pointed, done: boolean): void;
}
/** pixels by which a still finger may move */
const TREMOR = 9;
/** pixels by which a finger or pen may slide to another cell; one that goes farther swipes */
const SLIDE = 64;
/** milliseconds that make a press long */
const LONG = 480;

interface Press {
  cell: string | null;
  x: number;
  y: number;
  /** `press` until it moves; `done` is a long press that has been answered */
  does: "press" | "done" | "drag" | "pan" | "slide" | "swipe" | "draw";
  /** whether it is the right button's, which explains the cell if it stays there */
  right: boolean;
  panX: number;
  panY: number;
}

export class PointerInput {
  readonly #pointers = new Map<number, { x: number; y: number }>();
  #press: Press | null = null;
  #pinch: { distance: number; k: number } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** whether the last press was the right button's: its lift answers the browser's question for a menu */
  right = false;

  constructor(private readonly host: PointerHost) {}

  /** Whether the current press has already been answered as a long one. */
  get answered(): boolean {
    return this.#press?.does === "done";
  }

  /** Return the distance of two fingers and the point between them. */
  #span(): { distance: number; x: number; y: number } | null {
    const [a, b] = [...this.#pointers.values()];
    if (this.#pointers.size !== 2 || !a || !b) return null;
    return { distance: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  }

  down(event: Pointed): void {
    const host = this.host;
    this.right = event.button === 2 && !!host.draws?.(event);
    if (event.button > 0 && !this.right) return;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    clearTimeout(this.#timer);
    const span = this.#span();
    const zoom = host.zoom();
    if (span) this.#pinch = { distance: span.distance, k: zoom.k };
    if (this.#pinch) {
      this.#press = null;
      return host.hover(null, false);
    }
    const cell = host.cellAt(event.clientX, event.clientY);
    const [x, y] = [event.clientX, event.clientY];
    const draws = this.right || (cell !== null && !!host.draws?.(event));
    const press: Press = { cell, x, y, does: draws ? "draw" : "press", right: this.right, panX: zoom.x, panY: zoom.y };
    this.#press = press;
    if (draws) return;
    if (event.pointerType !== "mouse") host.hover(cell, true);
    if (cell && host.long)
      this.#timer = setTimeout(() => {
        // once more, after a lift that waits where the page was busy
        this.#timer = setTimeout(() => {
          if (this.#press !== press || press.does !== "press") return;
          press.does = "done";
          host.hover(null, false);
          host.long?.(cell, x, y);
        });
      }, LONG);
  }

  move(event: Pointed): void {
    const host = this.host;
    if (this.#pointers.has(event.pointerId))
      this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const span = this.#span();
    if (this.#pinch && span) {
      host.zoomAt((this.#pinch.k * span.distance) / this.#pinch.distance, span.x, span.y);
      return;
    }
    const mouse = event.pointerType === "mouse";
    if (mouse && event.buttons === 0 && this.#pointers.has(event.pointerId)) this.#end(event); // lifted off the board
    const press = this.#press;
    if (press?.does === "draw") {
      if (press.cell) host.draw?.(press.cell, host.cellAt(event.clientX, event.clientY), event, false);
      return;
    }
    const far = press ? Math.hypot(event.clientX - press.x, event.clientY - press.y) : 0;
    if (press?.does === "press" && far > TREMOR) {
      clearTimeout(this.#timer);
      const zoomed = isZoomed(host.zoom());
      if (press.cell && (mouse || !zoomed) && host.draggable(press.cell)) press.does = "drag";
      else press.does = zoomed ? "pan" : "slide";
    }
    if (press?.does === "slide" && far > SLIDE && !mouse) press.does = "swipe";
    if (press?.does === "pan") {
      const scale = host.scale();
      host.pan(press.panX - (event.clientX - press.x) / scale, press.panY - (event.clientY - press.y) / scale);
    }
    if (press?.does === "pan" || press?.does === "swipe") host.hover(null, false);
    else if (mouse || press) host.hover(host.cellAt(event.clientX, event.clientY), !mouse);
  }

  #end(event: Pointed): Press | null {
    const press = this.#press;
    this.#press = null;
    this.#pointers.delete(event.pointerId);
    clearTimeout(this.#timer);
    return press;
  }

  /** The pointer is lifted, or the browser cancels it. */
  up(event: Pointed): void {
    const host = this.host;
    const press = this.#end(event);
    const mouse = event.pointerType === "mouse";
    if (this.#pinch && this.#pointers.size === 0) this.#pinch = null;
    if (!mouse) host.hover(null, false);
    if (press?.does === "draw" && press.cell) {
      const to = event.type === "pointercancel" ? null : host.cellAt(event.clientX, event.clientY);
      const explains = press.right && to === press.cell;
      host.draw?.(press.cell, explains ? null : to, event, true);
      if (explains) host.long?.(press.cell, press.x, press.y);
      return;
    }
    if (!press?.cell || event.type === "pointercancel" || ["done", "pan", "swipe"].includes(press.does)) return;
    const cell = host.cellAt(event.clientX, event.clientY);
    if (!cell) return;
    if (press.does === "drag" && cell !== press.cell) host.drag(press.cell, cell);
    else if (cell === press.cell || !mouse) host.choose(cell);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
