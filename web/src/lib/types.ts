/** The server's data, as docs/protocol.md and tercet.view describe them. */

export type Tone = "one" | "two" | "three" | "ink" | "paper" | string;
export type Style = "character" | "letter" | "symbol";

export interface Cell {
  name: string;
  x: number;
  y: number;
}
export interface BoardData {
  shape: string;
  cells: Cell[];
  tile: [number, number][];
  labels: { text: string; x: number; y: number }[];
  gone: [number, number][];
  wrapped: boolean;
  /** for each cell its neighbours' indices by direction, -1 off the board; across the seam where it is wrapped */
  neighbours?: number[][];
  bounds: [number, number, number, number];
  bare: [number, number, number, number];
}
export interface Form {
  text?: string;
  path?: string;
}
/** Something that stands on a cell or is chosen beside the board. */
export interface PieceSymbol {
  id: string;
  name: string;
  tone: Tone;
  forms: Record<string, Form>;
  ground: "tile" | "disc" | "none" | string;
  key: string;
}
export interface PlayerArt {
  name: string;
  short: string;
  tone: Tone;
}
export interface Art {
  symbols: PieceSymbol[];
  players: PlayerArt[];
  styles: string[];
  /** which badge a piece wears for a flag, how a kind of mark looks, what is heard of a kind of event */
  badges: Record<string, string>;
  marks: Record<string, string>;
  sounds: Record<string, string>;
}
export interface Piece {
  cell: string;
  symbol: string;
  says: string;
  owner: number | null;
  flags: string[];
}
export interface Mark {
  kind: string;
  cells: string[];
  says: string;
}
export interface Counter {
  label: string;
  value: number | string;
  player: number | null;
  symbol: string | null;
  most: number | null;
  /** drawn as a pile of counters */
  pile: boolean;
}
export interface Panel {
  id: string;
  title: string;
  lines: string[];
  counters: Counter[];
  pictures: string[];
  player: number | null;
}
export interface Scene {
  pieces: Piece[];
  marks: Mark[];
  panels: Panel[];
  prompt: string;
  mover: number | null;
  state: "playing" | "over";
  result: string;
  partial: boolean;
  /** said beside picks instead of their own notes */
  notes: Record<string, string>;
}
export interface Pick {
  id: string;
  label: string;
  group: string;
  symbol: string | null;
  key: string;
  note: string;
  sticky: boolean;
}
/** [action, steps, says] */
export type Path = [string, string[], string];

export interface Outcome {
  scores: number[];
  winners: number[];
  reason: string;
  cells: string[];
  pattern: string | null;
}
/** Several actions of the mover as one motion. */
export interface Gesture {
  id: string;
  title: string;
  says: string;
  trigger: "button" | "spot";
  cells: string[];
  actions: string[];
  key: string;
}
export interface Exploration {
  id: string;
  title: string;
  help: string;
  needs: "position" | "cell";
  live: boolean;
}
export interface Finding {
  title: string;
  actions: string[];
  says: string;
  value: number;
}
export interface Findings {
  marks: Mark[];
  lines: Finding[];
  text: string;
  complete: boolean;
}
/** The game told and drawn otherwise. */
export interface Skin {
  id: string;
  title: string;
  words: Record<string, string>;
  players: string[];
  note: string;
  art?: Art | null;
}
export interface TableData {
  game: string;
  title: string;
  options: Record<string, unknown>;
  optionText: string;
  players: string[];
  board: BoardData;
  art: Art;
  picks: Pick[];
  skins: Skin[];
  explorations: Exploration[];
  standing: string | null;
  /** by how many degrees, clockwise, each player turns the board to have his home at the bottom */
  facing: number[];
}
export interface View {
  position: string;
  scene: Scene;
  outcome: Outcome | null;
  paths: Path[];
  gestures: Gesture[];
  standing: number[] | null;
  /** the explorations that have an answer here; null: all */
  askable: string[] | null;
}
export interface GameEvent {
  kind: string;
  cells: string[];
  says: string;
  data: Record<string, unknown>;
}
export interface OptionData {
  name: string;
  kind: "int" | "choice" | "bool" | "text";
  default: unknown;
  help: string;
  title: string;
  low: number | null;
  high: number | null;
  choices: string[];
  words: Record<string, string>;
}
export interface GameData {
  name: string;
  title: string;
  designer: string;
  year: number;
  summary: string;
  options: OptionData[];
  players: string[];
  skins?: Skin[];
  levels: { number: number; title: string; help: string }[];
  /** the forms of tournaments that it can be played in */
  forms: { id: string; title: string; help: string }[];
}
export interface ExampleData {
  id: string;
  position: string;
  caption: string;
  marks: Mark[];
  table: TableData;
  view: View;
}
export interface RulesData {
  title: string;
  sections: [string, string[], string[]][];
  examples: ExampleData[];
}
export interface Move {
  ply: number;
  seat: number;
  text: string;
  short: string;
  says: string;
  /** whether a turn begins with it */
  begins: boolean;
  /** where it was made */
  cells: string[];
}
export interface SeatData {
  /** person, engine, open (to anybody) or bot (one that has been asked) */
  kind: string;
  level?: number | null;
  name?: string | null;
  handle?: string | null;
  rating?: Rating | number | null;
  here?: boolean;
}
export interface Rating {
  rating: number;
  low: number;
  high: number;
  provisional?: boolean;
}
export interface Offer {
  seat: number;
  what: string;
  /** seats whose answer is waited for */
  awaited: number[];
}
export interface Clock {
  kind: string;
  /** what was asked for */
  control?: Record<string, unknown>;
  running: number | null;
  /** milliseconds for each seat, as they were at `at` */
  left: number[];
  /** the server's milliseconds */
  at: number;
  periods?: number[] | null;
  /** milliseconds that each was last given back for a slow line */
  lag?: number[] | null;
}
export interface State {
  number: number;
  ply: number;
  view: View;
  mover: number | null;
  yourSeats: number[];
  moves?: Move[];
  move?: Move;
  over: boolean;
  result: string;
  offers?: Offer[];
  links?: { watch?: string };
  seats?: SeatData[];
  takebacks?: boolean;
  takebackRule?: "off" | "consent" | "own";
  flagged?: number[];
  /** what a table wants: whole turns confirmed */
  confirm?: boolean;
  /** whether the players may confer */
  chat?: boolean;
  clock?: Clock | null;
  retractions?: number[] | null;
  resigned?: number[];
  begun?: boolean;
  /** seats that nobody sits in yet */
  waiting?: number[];
  aborted?: boolean;
  adjourned?: boolean;
  /** what may be claimed against who has gone for so many seconds */
  gone?: { after: number; then: string[]; level?: number } | null;
  away?: Away[];
  /** the table of the rematch */
  rematch?: string | null;
  rated?: boolean;
  public?: boolean;
  watch?: "public" | "link" | "private";
  speed?: string;
  creator?: boolean;
  abortable?: boolean;
  /** seats that an engine plays on for somebody who has gone */
  replaced?: number[];
  tournament?: string | null;
}
export interface Away {
  seat: number;
  /** the server's milliseconds when he went; null: he is here */
  since: number | null;
}
export interface Said {
  number: number;
  room: "players" | "watchers";
  seat: number | null;
  name: string;
  handle: string | null;
  text: string;
  at: number;
}

/** Somebody the server knows. */
export interface Person {
  handle: string | null;
  name: string;
  kind: "guest" | "account" | "bot";
}
export interface LobbySeat {
  player: string;
  kind: string;
  name: string | null;
  handle: string | null;
  rating: Rating | number | null;
}
export interface OpenGame {
  id: string;
  game: string;
  title: string;
  optionText: string;
  clock: Record<string, unknown> | null;
  speed: string;
  rated: boolean;
  seats: LobbySeat[];
  at: number;
  yours?: boolean;
}
export interface LiveGame {
  id: string;
  game: string;
  title: string;
  seats: LobbySeat[];
  watchers: number;
  ply: number;
}
export interface LobbyData {
  open: OpenGame[];
  live: LiveGame[];
}
export interface Line {
  scores: number[];
  pv: string[];
  note: string;
}
export interface Info {
  depth: number;
  nodes: number;
  nps: number;
  lines: Line[];
}
export interface Fault {
  code: string;
  where?: string;
  why: string;
}
