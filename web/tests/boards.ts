/** Small boards and views to compute with. They belong to no game. */
import type { Art, BoardData, Path, Piece, TableData, View } from "../src/lib/types";

const LETTERS = "abcdefghi";

/** `size` by `size` squares; `wrapped`: its edges are joined. */
export function squares(size: number, wrapped = false): BoardData {
  const cells = [];
  const neighbours = [];
  const at = (x: number, y: number): number => {
    if (wrapped) return ((y + size) % size) * size + ((x + size) % size);
    return x < 0 || y < 0 || x >= size || y >= size ? -1 : y * size + x;
  };
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      cells.push({ name: `${LETTERS[x]}${size - y}`, x, y });
      neighbours.push([at(x + 1, y), at(x, y - 1), at(x - 1, y), at(x, y + 1)]);
    }
  const tile: [number, number][] = [
    [0.5, 0.5],
    [-0.5, 0.5],
    [-0.5, -0.5],
    [0.5, -0.5],
  ];
  const bounds: [number, number, number, number] = [-1, -1, size + 1, size + 1];
  return { shape: "squares", cells, tile, labels: [], gone: [], wrapped, neighbours, bounds, bare: bounds };
}

/** A hexagon of hexagons, their points up. */
export function hexagons(side: number): BoardData {
  const cells = [];
  for (let r = 1 - side; r < side; r++)
    for (let q = Math.max(1 - side, 1 - side - r); q <= Math.min(side - 1, side - 1 - r); q++)
      cells.push({ name: `${LETTERS[q + side - 1]}${r + side}`, x: q + r / 2, y: (r * Math.sqrt(3)) / 2 });
  const tile = [...Array(6).keys()].map((i): [number, number] => {
    const angle = (Math.PI / 3) * i + Math.PI / 6;
    return [Math.cos(angle) / Math.sqrt(3), Math.sin(angle) / Math.sqrt(3)];
  });
  const bounds: [number, number, number, number] = [-side, -side, 2 * side, 2 * side];
  return { shape: "hexagon", cells, tile, labels: [], gone: [], wrapped: false, neighbours: [], bounds, bare: bounds };
}

export const piece = (cell: string, symbol = "X", more: Partial<Piece> = {}): Piece => ({
  cell,
  symbol,
  says: `piece ${symbol}`,
  owner: null,
  flags: [],
  ...more,
});

export const art: Art = {
  symbols: ["X", "O"].map((id) => ({ id, name: id, tone: "one", forms: {}, ground: "disc", key: id.toLowerCase() })),
  players: ["North", "South"].map((name) => ({ name, short: name.charAt(0), tone: "ink" })),
  styles: ["letter"],
  badges: { asleep: "cross" },
  marks: { taboo: "blocked", quiet: "unseen" },
  sounds: { eaten: "capture", dreamt: "silent" },
};

export const table: TableData = {
  game: "test",
  title: "Test",
  options: {},
  optionText: "",
  players: ["North", "South"],
  board: squares(4),
  art,
  picks: [
    { id: "X", label: "cross", group: "kind", symbol: "X", key: "x", note: "", sticky: true },
    { id: "O", label: "ring", group: "kind", symbol: "O", key: "o", note: "", sticky: true },
    { id: "up", label: "upwards", group: "way", symbol: null, key: "u", note: "", sticky: false },
    { id: "down", label: "downwards", group: "way", symbol: null, key: "d", note: "", sticky: false },
  ],
  skins: [],
  notations: [],
  explorations: [],
  forms: [],
  standing: null,
  advice: false,
  firstGame: false,
  aim: "",
  history: false,
  facing: [0, 0],
};

interface More {
  position?: string;
  mover?: number | null;
  pieces?: Piece[];
  grave?: Record<string, string>;
}
export function view(paths: Path[], more: More = {}): View {
  return {
    position: more.position ?? "start",
    scene: {
      pieces: more.pieces ?? [],
      marks: [],
      panels: [],
      prompt: "Choose.",
      mover: more.mover === undefined ? 0 : more.mover,
      state: "playing",
      result: "",
      victory: "",
      partial: false,
      notes: {},
      alerts: [],
      grave: more.grave ?? {},
    },
    outcome: null,
    paths,
    gestures: [],
    standing: null,
    askable: null,
  };
}
