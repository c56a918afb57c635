/* Made from the server's types by `npm run types`. Not to be changed by hand. */

/** Call the game off before its second turn. */
export interface AbortMessage {
  id: string;
  number?: number | null;
  type: "abort";
}
/** What may be claimed against a player who has been away for ``after`` seconds. */
export interface AbsenceRule {
  after: number;
  level?: number;
  then: ("win" | "engine")[];
}
/** Your message ``id`` was done and is on disk, as event ``number``; ``talk``: the number of what was said. */
export interface Ack {
  id: string;
  number: number;
  talk?: number;
  type: "ack";
}
/** An action was played. ``events`` are what it caused, in order; ``lag``: milliseconds given back for the line. */
export interface ActionEvent {
  action: string;
  at?: number;
  events: Event[];
  kind: "action";
  lag?: number;
  number: number;
  ply: number;
  says: string[];
  seat: number;
  state: ActionState;
  type: "event";
}
/**
 * Something that an action caused. ``kind`` and ``data`` are the game's own words, ``says`` a sentence for a
 * person, ``cells`` where it happened.
 */
export interface Event {
  cells: string[];
  data: Record<string, unknown>;
  kind: string;
  says: string;
}
/** The state that an action led to, and that action. */
export interface ActionState extends TableStateData {
  move: Move;
}
/**
 * One action of a game; ``ply`` counts from 0. ``brief`` is what a long turn did up to this action, in short,
 * ``cells`` are where it was made, ``begins`` whether it begins a turn, ``styled`` how each of the game's notation
 * styles writes it; where that begins with what the action before it in the turn is written as, it stands for both.
 */
export interface Move {
  begins: boolean;
  brief: string | null;
  cells: string[];
  ply: number;
  says: string;
  seat: number;
  short: string;
  styled: Record<string, string>;
  text: string;
}
/**
 * The state of a table, as its client may know it. ``takebacks`` says whether there are any, ``takebackRule``
 * how; ``out`` are the seats that play no more while the game goes on, ``claims`` by seat what may be claimed
 * against a player who has been away long enough.
 */
export interface TableStateData {
  abortable: boolean;
  aborted: boolean;
  adjourned: boolean;
  after: string | null;
  away: AwayView[];
  begun: boolean;
  chat: boolean;
  claims: ("win" | "engine")[][];
  clock: ClockView | null;
  confirm: boolean;
  creator: boolean;
  explore: boolean;
  flagged: number[];
  gone: AbsenceRule | null;
  left: number[];
  links: Links;
  mover: number | null;
  number: number;
  offers: OfferView[];
  out: number[];
  over: boolean;
  playsOn: boolean;
  ply: number;
  public: boolean;
  rated: boolean;
  rematch: string | null;
  replaced: number[];
  resigned: number[];
  result: string;
  retractions: number[] | null;
  seats: SeatView[];
  short: boolean;
  speed: string;
  takebackRule: "off" | "consent" | "own";
  takebacks: boolean;
  tournament: string | null;
  view: PositionView;
  waiting: number[];
  watch: "public" | "link" | "private";
  yourSeats: number[];
}
/** A seat whose player left at ``since`` (the server's milliseconds), or who never ``came``. */
export interface AwayView {
  came: boolean;
  seat: number;
  since: number;
}
/** Clocks as they were at ``at``, the server's milliseconds. ``left`` in milliseconds; ``periods`` of byo-yomi. */
export interface ClockView {
  at: number;
  control: Record<string, unknown>;
  kind: string;
  lag: number[];
  left: number[];
  periods: number[] | null;
  running: number | null;
}
/** Addresses to give to others. */
export interface Links {
  watch: string;
}
/** What ``seat`` proposes, and the seats whose answer is awaited; ``ply``: of a takeback, what it goes back to. */
export interface OfferView {
  awaited: number[];
  ply: number | null;
  seat: number;
  what: "takeback" | "draw" | "adjourn" | "continue" | "rematch";
}
/** Who sits there. ``badge``: the mark to show beside the name, null for an account; ``here``: the seat is yours. */
export interface SeatView extends MySeat {
  here: boolean;
  rating: RatingView | null;
}
/** A rating with its interval of 95 %. */
export interface RatingView {
  high: number;
  low: number;
  provisional: boolean;
  rating: number;
}
/** Who sits there. */
export interface MySeat {
  badge: ("guest" | "engine" | "bot" | "moderator") | null;
  handle: string | null;
  kind: "person" | "engine" | "open" | "bot";
  level: number | null;
  name: string | null;
}
/**
 * A position as a person sees it. A path is (action, steps, words); paths and gestures are empty for a client
 * that cannot move now. ``askable`` are the explorations that have an answer here, null: all.
 */
export interface PositionView {
  askable: string[] | null;
  gestures: Gesture[];
  outcome: Outcome | null;
  paths: [string, string[], string][];
  position: string;
  scene: SceneView;
  standing: number[] | null;
}
/**
 * Several actions of the mover as one motion, legal one after another here.
 *
 * ``trigger`` is ``button``, or ``spot`` for a motion on the board: on the cell ``at``, or else in the middle of
 * ``cells``. The nearest of several spots counts. ``key`` is the keyboard key that makes it.
 */
export interface Gesture {
  actions: string[];
  at: string;
  cells: string[];
  id: string;
  key: string;
  says: string;
  title: string;
  trigger: string;
}
/**
 * How a game ended. ``scores`` are the players' shares of one point; ``winners`` the players with the most (all
 * who share it in a draw); ``reason`` a word of the game's; ``cells`` the decisive cells, ``pattern`` their name.
 */
export interface Outcome {
  cells: string[];
  pattern: string | null;
  reason: string;
  scores: number[];
  winners: number[];
}
/**
 * What is seen of a position (:class:`tercet.core.view.Scene`), over if the players ended the game;
 * ``partial``: the mover's turn is still open, and can be undone action by action.
 */
export interface SceneView {
  alerts: string[];
  grave: Record<string, string>;
  marks: Mark[];
  mover: number | null;
  notes: Record<string, string>;
  panels: Panel[];
  partial: boolean;
  pieces: Piece[];
  prompt: string;
  result: string;
  state: "playing" | "over";
  victory: string;
}
/**
 * Cells that stand out. ``kind`` is ``last``, ``win``, ``danger``, ``hint``, ``source``, ``arrow`` (from the first
 * cell to the second), or a word of the game that its :class:`Art` gives a look; ``says`` is the reason.
 */
export interface Mark {
  cells: string[];
  kind: string;
  says: string;
}
/** A box beside the board: a title, sentences, counters and small drawings (``pictures`` are ids of examples). */
export interface Panel {
  counters: Counter[];
  id: string;
  lines: string[];
  pictures: string[];
  player: number | null;
  title: string;
}
/**
 * A number in a panel: ``label`` and ``value``, with a player, a symbol or a maximum (``most``) where given.
 *
 * With ``pile`` it is drawn as a pile of counters. An event with the data ``from``, ``to`` and ``amount`` moves
 * counters between the piles of two players.
 */
export interface Counter {
  label: string;
  most: number | null;
  pile: boolean;
  player: number | null;
  symbol: string | null;
  value: number | string;
}
/**
 * The symbol ``symbol`` on ``cell``.
 *
 * ``owner`` draws a border or a tint of that player. ``flags`` are the game's words for its state; the game's
 * :class:`Art` gives each a badge. ``says`` is read aloud and names both.
 */
export interface Piece {
  cell: string;
  flags: string[];
  owner: number | null;
  says: string;
  symbol: string;
}
/**
 * Tips for a beginner: the aim, a hint (empty if there is none) with marks for the board, and moves that the page
 * asks about before it plays one (``grave``), each with the reason.
 */
export interface AdviceData {
  aim: string;
  grave: Record<string, string>;
  hint: string;
  marks: Mark[];
}
/** Some of those who were asked said yes. */
export interface AgreedEvent {
  at?: number;
  kind: "agreed";
  number: number;
  seats: number[];
  state: TableStateData;
  type: "event";
  what: "takeback" | "draw" | "adjourn" | "continue" | "rematch";
}
/** Moves played from the start of a game: also the board, the start and a record of the moves. */
export interface Analysed {
  nodes: AnalysedMove[];
  record: string;
  start: string;
  table: TableView;
  view: PositionView;
}
/** A move, and the position that it led to. */
export interface AnalysedMove extends RecordMove {
  position: string;
  standing: number[] | null;
}
/** A move of a record, or (``seat`` null) a resignation, a retraction or an agreement among the moves. */
export interface RecordMove {
  begins: boolean;
  brief: string | null;
  cells: string[];
  ply: number;
  says: string;
  seat: number | null;
  short: string;
  styled: Record<string, string>;
  text: string;
}
/**
 * What stays the same through a game. ``facing`` says by how many degrees, clockwise, each player turns the board;
 * ``standing`` what the numbers of ``view.standing`` and ``tallies`` are, null where there are none; ``history``
 * whether what follows from a position depends on the moves before, which its string does not tell; ``advice`` whether
 * the game advises beginners; ``firstGame`` whether it guides them through a first game; ``aim`` its
 * rule in one line.
 */
export interface TableView {
  advice: boolean;
  aim: string;
  art: Art;
  board: BoardView;
  explorations: Exploration[];
  facing: number[];
  firstGame: boolean;
  forms: WrittenForm[];
  game: string;
  history: boolean;
  notations: NotationView[];
  optionText: string;
  options: Record<string, unknown>;
  picks: Pick[];
  players: string[];
  skins: SkinView[];
  standing: string | null;
  title: string;
}
/**
 * Everything that a game is drawn and sounded with: symbols by id, and the players' names and tones.
 *
 * Three mappings translate the game's own words. ``badges`` gives a badge for a piece's flag: ``halo``, ``dot`` or
 * ``cross`` (else ``pennant``). ``marks`` gives a look for a mark's kind: ``blocked`` is a dashed ring, ``warning``
 * a coloured area, ``unseen`` invisible (else the kind itself). ``sounds`` gives a sound for an event's kind:
 * ``place``, ``capture`` or ``silent`` (else ``move``, if the event has cells).
 */
export interface Art {
  badges: Record<string, string>;
  marks: Record<string, string>;
  players: PlayerArt[];
  sounds: Record<string, string>;
  styles: string[];
  symbols: Symbol[];
}
/** How a player is drawn: ``tone`` is the colour role, as for a symbol, and ``short`` an initial. */
export interface PlayerArt {
  name: string;
  short: string;
  tone: string;
}
/**
 * A symbol that stands on a cell or lies in a hand.
 *
 * ``tone`` is its colour role: ``one``, ``two`` and ``three`` are the game's accents, ``ink`` and ``paper`` the
 * other two. ``ground`` lays the colour on the cell: ``tile`` fills it, ``disc`` draws a disc, ``none`` colours the
 * symbol alone. ``forms`` tell it from other symbols without colour, by style (``character``, ``letter``,
 * ``symbol``): ``{"text": ...}`` or ``{"path": SVG path data in a square from -1 to 1}``. The first is the default.
 * ``key`` is the keyboard key that picks it.
 */
export interface Symbol {
  forms: {
    [k: string]: Record<string, string>;
  };
  ground: string;
  id: string;
  key: string;
  name: string;
  tone: string;
}
/**
 * Geometry to draw a board with. ``bounds`` is (left, top, width, height) with the labels, ``bare`` without;
 * ``neighbours`` are indices of ``cells`` by direction, -1 off the board; ``gone`` are centres without a cell.
 */
export interface BoardView {
  /**
   * @minItems 4
   * @maxItems 4
   */
  bare: [number, number, number, number];
  /**
   * @minItems 4
   * @maxItems 4
   */
  bounds: [number, number, number, number];
  cells: Cell[];
  gone: [number, number][];
  labels: Label[];
  neighbours: number[][];
  shape: string;
  tile: [number, number][];
  wrapped: boolean;
}
/** A cell's name and centre. Units are the distance between neighbouring cells; y points down. */
export interface Cell {
  name: string;
  x: number;
  y: number;
}
/** A word beside the board. */
export interface Label {
  text: string;
  x: number;
  y: number;
}
/**
 * A question that a player can ask about a position.
 *
 * - ``needs`` is ``position``, or ``cell`` if the player has to name one.
 * - ``live`` questions are quick enough to be asked after every action.
 * - ``threatens`` marks questions whose findings name threats; analysis draws them beside the engine's lines.
 */
export interface Exploration {
  help: string;
  id: string;
  live: boolean;
  needs: string;
  threatens: boolean;
  title: string;
}
/** Another form in which a game can be written: a save of its last position, or its turns one a line. */
export interface WrittenForm {
  id: string;
  title: string;
}
/** A notation style: what it writes in the place of cells' names and of the labels beside the board. */
export interface NotationView {
  cells: Record<string, string>;
  id: string;
  labels: Record<string, string>;
  title: string;
}
/**
 * A choice outside the board on the way to an action: a piece in the hand, a colour, what a piece becomes.
 *
 * ``group`` collects picks that belong together (a hand, a colour wheel). ``symbol`` draws the pick, and ``note``
 * adds a price. A ``sticky`` pick stays chosen after the action (a type in the hand).
 */
export interface Pick {
  group: string;
  id: string;
  key: string;
  label: string;
  note: string;
  sticky: boolean;
  symbol: string | null;
}
/** A skin: other words and drawings for the game; ``art`` is null if it is drawn as usual. */
export interface SkinView {
  art: Art | null;
  id: string;
  note: string;
  players: string[];
  title: string;
  words: Record<string, string>;
}
/**
 * A line of play: each player's expected share of the point, its actions in notation and, as lists of moves have
 * them, short, whose they are, and a note on what is certain. ``proved``: the scores are no estimate.
 */
export interface AnalysedLine {
  note: string;
  proved: boolean;
  pv: string[];
  scores: number[];
  seats: number[];
  short: string[];
}
/** The analysis is over; ``best`` is null where the game is over or it was stopped before it began. */
export interface AnalysisDone {
  best: string | null;
  id: string;
  type: "done";
}
/** How far the analysis ``id`` has come. ``preparing``: its kernels are being compiled; else null. */
export interface AnalysisInfo {
  depth: number;
  id: string;
  lines: AnalysedLine[];
  nodes: number;
  nps: number;
  preparing: Preparing | null;
  seconds: number;
  type: "info";
}
/** How many kernels of an engine are ready, ``of`` how many that it needs (0: unknown). */
export interface Preparing {
  done: number;
  of: number;
}
/** Yes or no to an offer; the proposer's no withdraws it. Stale is what came before the offer was made. */
export interface AnswerMessage {
  id: string;
  number?: number | null;
  type: "answer";
  what: "takeback" | "draw" | "adjourn" | "continue" | "rematch";
  yes: boolean;
}
/** Whom one has blocked. */
export interface BlocksResponse {
  blocks: PersonResponse[];
}
/** The public data of a person. */
export interface PersonResponse {
  handle: string | null;
  kind: "guest" | "account" | "bot" | "staff";
  name: string;
}
/** How many people have ratings in games of one kind. */
export interface BoardResponse {
  game: string;
  people: number;
  players: number;
  speed: string;
}
/** Return the leaderboards that have players, the fullest first. */
export interface BoardsResponse {
  boards: BoardResponse[];
}
/** A break began or ended. */
export interface BreakEvent {
  at?: number;
  kind: "adjourn" | "continue";
  number: number;
  state: TableStateData;
  type: "event";
}
/** An offered ``table``: you would have ``seat``, as ``player``; ``at`` is when (milliseconds). */
export interface Challenge {
  at: number;
  by: Challenger;
  clock: Record<string, unknown> | null;
  game: string;
  optionText: string;
  player: string;
  rated: boolean;
  seat: number;
  table: string;
  title: string;
}
/** Who challenges, or is challenged. */
export interface Challenger {
  handle: string;
  kind: "account" | "bot" | "staff";
  name: string;
}
/** The challenges that wait for your answer, and those of yours that wait for an answer. */
export interface ChallengesResponse {
  challenges: Challenge[];
  sent: SentChallenge[];
}
/** A ``table`` that you have offered to a player. */
export interface SentChallenge {
  table: string;
  to: Challenger;
}
/** The last lines of what you may read; they take the place of what is known. */
export interface ChatHistory {
  lines: ChatLine[];
  type: "talked";
}
/** Something said, ``at`` milliseconds. */
export interface ChatLine {
  at: number;
  badge: ("guest" | "engine" | "bot" | "moderator") | null;
  handle: string | null;
  name: string;
  number: number;
  room: "players" | "watchers";
  seat: number | null;
  text: string;
}
/** Something is said now. */
export interface ChatMessage extends ChatLine {
  type: "talk";
}
/** The player of ``seat`` was found absent; ``by`` is null where a tournament ruled so. */
export interface ClaimEvent {
  at?: number;
  by: number | null;
  kind: "claim";
  level?: number;
  number: number;
  seat: number;
  state: TableStateData;
  type: "event";
  what: "win" | "engine";
}
/** Claim against the player of ``seat``, who has gone. */
export interface ClaimMessage {
  id: string;
  number?: number | null;
  seat: number;
  type: "claim";
  what: "win" | "engine";
}
/** A recovery code; it appears only here. */
export interface CodeResponse {
  code: string;
}
/**
 * An action that was played in a position, in ``games`` of a person's games. In the ``decided`` ones the players
 * got ``scores`` on average: shares of the point, null where none is decided.
 */
export interface Continuation {
  decided: number;
  games: number;
  scores: number[] | null;
  short: string;
  text: string;
}
/** The ``games`` of a person that came to a position, how they ended, what was played there, and the ``latest``. */
export interface Continuations {
  decided: number;
  games: number;
  latest: GameThere[];
  moves: Continuation[];
  scores: number[] | null;
}
/** A game that came to a position after ``ply`` actions: a ``table``, or one from a file (``loaded``). */
export interface GameThere {
  date: string;
  loaded: string | null;
  ply: number;
  result: string;
  table: string | null;
}
/**
 * What changes between two sets of options, after so many ``games`` of each: the players' ``shares`` of the point,
 * the share of ``draws``, and the ``actions`` of a game.
 */
export interface DialComparison {
  actions: DialFigure;
  draws: DialFigure;
  games: number;
  shares: DialFigure[];
}
/**
 * A mean with the ``usual`` and the ``changed`` options. The difference lies from ``low`` to ``high`` at all times
 * with a chance of 95 %; its ``verdict`` is ``higher``, ``lower``, ``equivalent`` (within the margin) or
 * ``inconclusive``. Figures without bounds have only means.
 */
export interface DialFigure {
  changed: number;
  high: number | null;
  low: number | null;
  usual: number;
  verdict: string | null;
}
/**
 * Lots of games of one set of options: how many ``games`` a lot has and, for each lot, the means of its games: the
 * ``players``' shares of the point, then draws, then actions.
 */
export interface DialLots {
  games: number;
  lots: number[][];
  players: string[];
}
/** The game was ended by agreement (``over``), or aborted (``abort``: by a seat, or for a reason). */
export interface EndEvent {
  at?: number;
  kind: "over" | "abort";
  number: number;
  reason?: string;
  seat?: number;
  state: TableStateData;
  type: "event";
}
/** The asking person's own data, if they take part. */
export interface EntrantResponse {
  active: boolean;
  handle: string | null;
  kind: "guest" | "account" | "bot" | "staff";
  name: string;
}
/**
 * What went wrong: a code for programs, the field or place, a sentence for a person. ``retry`` (with
 * ``too-many``): in how many seconds it may be tried again; ``used``: what was used lately, by resource.
 */
export interface ErrorData {
  code: string;
  retry?: number;
  used?: Record<string, number>;
  where: string;
  why: string;
}
/**
 * A message was refused, or something went wrong; ``id`` of the message where it had one. ``retry`` (with
 * ``too-many``): in how many seconds it may be tried again; ``used``: what was used lately, by resource.
 */
export interface ErrorMessage extends ErrorData {
  id?: string;
  type: "error";
}
/** A drawn example of a rule. */
export interface ExampleData {
  alike: boolean;
  caption: string;
  id: string;
  marks: Mark[];
  position: string;
  table: TableView;
  view: PositionView;
}
/**
 * A line of play that an exploration found: ``actions`` from the position asked about, and ``value``, by which the
 * lines are ordered (more is better).
 */
export interface Finding {
  actions: string[];
  says: string;
  title: string;
  value: number;
}
/**
 * The answer to an exploration: marks, lines of play with the best first, and a summary in ``text``.
 *
 * ``complete`` is False if the search stopped before it had seen everything. ``threats`` are the players' threats,
 * the most urgent first.
 */
export interface Findings {
  complete: boolean;
  lines: Finding[];
  marks: Mark[];
  text: string;
  threats: Threat[];
}
/**
 * What ``player`` (from 0) would do with the move: an arrow from the first of ``cells`` to the last, or a mark on a
 * single cell. ``says`` describes it.
 */
export interface Threat {
  cells: string[];
  player: number;
  says: string;
}
/**
 * The ``idea`` to show now (null: none); ``grave`` maps actions to why a newcomer would regret them; ``learned``
 * are ideas that their last turn shows they know; ``all`` is how many ideas the game has.
 */
export interface FirstGameData {
  all: number;
  game: string;
  grave: Record<string, string>;
  idea: FirstIdea | null;
  learned: string[];
}
/** An idea of a first game that matters now, with marks that point at its cells. */
export interface FirstIdea {
  id: string;
  marks: Mark[];
  says: string;
  title: string;
}
/** A player whom you follow; ``friend``: they follow you too. ``unread`` counts their new messages. */
export interface FollowedResponse {
  friend: boolean;
  handle: string | null;
  kind: "guest" | "account" | "bot" | "staff";
  name: string;
  unread: number;
}
/** Whom one follows. */
export interface FollowsResponse {
  follows: FollowedResponse[];
}
/**
 * A game that can be played here. ``wordmark`` is its title where the name stands alone; ``takebacks`` is a table's
 * default, ``lessons`` and ``puzzles`` say whether it has any. ``ratedPreset`` is the id of the preset of rated games
 * and tournaments without options (empty: the defaults).
 */
export interface GameData {
  designer: string;
  explorations: Exploration[];
  forms: TournamentFormData[];
  lessons: boolean;
  levels: Level[];
  links: Link[];
  name: string;
  options: Option[];
  players: string[];
  presets: PresetData[];
  puzzles: boolean;
  quickStart: QuickStartData;
  ratedPreset: string;
  skins: SkinView[];
  standing: string | null;
  summary: string;
  takebacks: "consent" | "own" | "off";
  title: string;
  wordmark: string;
  year: number;
}
/** A form of tournament. */
export interface TournamentFormData {
  help: string;
  id: string;
  title: string;
}
/** How strong an engine is. */
export interface Level {
  help: string;
  number: number;
  title: string;
}
/** A page about the game elsewhere: ``title`` says what it is, ``address`` where. */
export interface Link {
  address: string;
  title: string;
}
/**
 * One option of a game's rules, as ``tercet.game(name, option=value)`` takes it.
 *
 * ``kind`` is ``"int"`` (``low`` to ``high``), ``"choice"`` (one of ``choices``), ``"bool"`` or ``"text"`` (checked by
 * the game). ``help`` is one sentence for a person; ``words`` names each choice for a person; its keys are the
 * ``choices`` if these are left out. Of a number or a text it names some usual values. ``pictured`` are values that
 * people choose by a picture of the board. ``cells`` says that a text names cells of the board to leave out, joined by
 * dots, so that people may choose them on the board.
 */
export interface Option {
  cells: boolean;
  choices: string[];
  default: unknown;
  help: string;
  high: number | null;
  kind: string;
  low: number | null;
  name: string;
  pictured: string[];
  title: string;
  words: Record<string, string>;
}
/**
 * A way to play that has a name: the options that differ from the defaults, and whether one person plays all
 * sides. ``picture`` is a position string that shows it (empty: the start).
 */
export interface PresetData {
  alone: boolean;
  help: string;
  id: string;
  options: Record<string, unknown>;
  picture: string;
  title: string;
}
/**
 * A newcomer's first game: its options with their title, the level of the engines, a position to show the game by
 * (or empty), and moves from there. ``ladder`` has the boards that follow, each after a win.
 */
export interface QuickStartData {
  ladder: PresetData[];
  level: number;
  moves: string[];
  options: Record<string, unknown>;
  picture: string;
  title: string;
}
/** The lessons of a game, in their order. */
export interface GameLessons {
  game: string;
  lessons: LessonHead[];
  title: string;
}
/** A lesson in a list; ``steps`` is how many it has. */
export interface LessonHead {
  about: string;
  chapter: string;
  id: string;
  steps: number;
  title: string;
}
/** The days of a month that have a puzzle of a game. */
export interface GamePuzzleDays {
  days: PuzzleDay[];
  game: string;
  title: string;
}
/** A day (as 2026-11-25) and whether the asker solved its puzzle at the first try (null: not tried). */
export interface PuzzleDay {
  day: string;
  right: boolean | null;
}
/** A game of a person: ``seat`` is theirs, ``result`` their result. */
export interface GameResponse {
  ended: number | null;
  game: string;
  id: string;
  opened: number;
  rated: boolean;
  result: "won" | "drawn" | "lost" | "playing" | "off";
  says: string;
  seat: number;
  seats: GameSeatResponse[];
  speed: string;
}
/** The player of a seat; ``name`` is null if they gave none. */
export interface GameSeatResponse {
  handle: string | null;
  kind: string;
  level: number | null;
  name: string | null;
}
/** The studies of a game. */
export interface GameStudies {
  game: string;
  studies: StudyResult[];
  title: string;
}
/**
 * A study that comes with a game: its question is the ``title``, the answer of its ``games`` games the ``result``.
 * The ``note`` says what an engine cannot tell.
 */
export interface StudyResult {
  games: number;
  id: string;
  note: string;
  result: string;
  title: string;
}
/** Games, the latest first; ``more``: what ``before`` is to be for the next page, null on the last. */
export interface GamesResponse {
  games: GameResponse[];
  more: string | null;
}
/** Analyse ``position`` for at most ``movetime`` milliseconds, telling of the best ``multipv`` lines. */
export interface GoMessage {
  id: string;
  movetime?: number | null;
  multipv?: number | null;
  position: string;
  type: "go";
}
/**
 * A line of the list. Times are in milliseconds; ``most`` may take part. If its organiser does not let it begin, it
 * is called off when it ``expires``; ``calledOff`` says who did it, or why.
 */
export interface HeadResponse {
  begins: number | null;
  calledOff: ("organiser" | "moderator" | "expired" | "too-few") | null;
  clock: Record<string, unknown>;
  created: number;
  creator: string | null;
  ends: number | null;
  entrants: number;
  expires: number | null;
  form: "round-robin" | "swiss" | "arena" | "best-margin";
  formTitle: string;
  game: string;
  id: string;
  minutes: number | null;
  most: number;
  name: string;
  optionText: string;
  options: Record<string, unknown>;
  prize: string;
  rated: boolean;
  round: number;
  rounds: number | null;
  state: "waiting" | "running" | "over";
  title: string;
}
/**
 * A hint at a move of the position after ``ply`` actions. With the strongest, the ``action`` (else null), and what
 * ``then`` follows in the turn.
 */
export interface HintData {
  action: string | null;
  marks: Mark[];
  ply: number;
  position: string;
  says: string;
  then: HintStep[];
}
/** A hint at one action in ``position``: a sentence, and marks for the board. */
export interface HintStep {
  marks: Mark[];
  position: string;
  says: string;
}
/** The state of a search: ``lines``, the best first, and ``nodes`` (simulations), ``nps`` of them a second. */
export interface Info {
  depth: number;
  lines: Line[];
  nodes: number;
  nps: number;
  seconds: number;
}
/**
 * One line of play: each player's expected share of the point (0 to 1), and the actions in notation.
 *
 * ``note`` says what is certain, such as ``"win in 3"``: three turns of the winner's own.
 */
export interface Line {
  note: string;
  pv: string[];
  scores: number[];
}
/** How many games of a file were added; ``unread`` had mistakes. */
export interface KeptGames {
  games: number;
  unread: number;
}
/** To be answered at once by ``pong`` with the same ``n``: so the time on the line is measured. */
export interface LagQuestion {
  n: number;
  type: "ping?";
}
/** A line of a leaderboard; ``rank`` is null while a rating is provisional. */
export interface LeaderResponse extends RatingView {
  games: number;
  handle: string;
  kind: "account" | "bot" | "staff";
  name: string;
  rank: number | null;
}
/** A leaderboard; ``seats`` where three play, with the number of games that they were learnt from. */
export interface LeadersResponse {
  counted: number;
  game: string;
  leaders: LeaderResponse[];
  players: number;
  seats: SeatResponse[] | null;
  speed: string;
}
/** What a seat is worth against the others, in points of rating, with its interval of 95 %. */
export interface SeatResponse {
  high: number;
  low: number;
  player: string;
  worth: number;
}
/** Whether an action is legal; ``why`` says which rule forbids it. */
export interface Legality {
  legal: boolean;
  why: string | null;
}
/** A whole lesson; ``next`` is the one after it, null after the last. */
export interface LessonData {
  about: string;
  chapter: string;
  game: string;
  id: string;
  next: LessonName | null;
  steps: StepData[];
  tables: TableView[];
  title: string;
}
/** What a lesson is called. */
export interface LessonName {
  id: string;
  title: string;
}
/**
 * One step. ``shown`` are actions from the position of ``before`` to that of ``view``, in which ``player`` (whose
 * name is ``name``) has ``turns`` turns; ``table`` is an index of the lesson's tables. ``aim`` is a position to draw
 * beside the task, in which the goal is reached; null where there is none.
 */
export interface StepData {
  aim: PositionView | null;
  before: PositionView;
  hint: string;
  marks: Mark[];
  name: string;
  player: number;
  shown: LessonFrame[];
  table: number;
  task: string;
  text: string;
  title: string;
  turns: number;
  view: PositionView;
}
/** An action, and the position that it led to. ``cells`` are where it was made. */
export interface LessonFrame {
  cells: string[];
  says: string;
  seat: number;
  short: string;
  text: string;
  view: PositionView;
}
/**
 * How many steps of a lesson are done in the present going through it, whether it was done once, and when that was
 * so, in milliseconds.
 */
export interface LessonProgressData {
  at: number;
  done: boolean;
  game: string;
  lesson: string;
  steps: number;
}
/** A game that may be watched. */
export interface LiveGame {
  game: string;
  id: string;
  optionText: string;
  ply: number;
  rated: boolean;
  seats: LobbySeat[];
  speed: string;
  title: string;
  watchers: number;
}
/** A seat and who sits there. */
export interface LobbySeat extends MySeat {
  player: string;
  rating: RatingView | null;
}
/**
 * The changes since the last message (``changes=true``): ``open`` and ``live`` are the listed ids, in their
 * order; new and changed tables are in full.
 */
export interface LobbyChangesMessage {
  live: string[];
  liveChanged: LiveGame[];
  online: number;
  open: string[];
  openChanged: OpenGame[];
  page: number;
  seeking: SeekingPeople[];
  total: number;
  type: "lobby-changes";
}
/** A table that waits for players, opened ``at`` (milliseconds). */
export interface OpenGame {
  at: number;
  chat: boolean;
  clock: Record<string, unknown> | null;
  explore: boolean;
  fromPosition: boolean;
  game: string;
  id: string;
  optionText: string;
  rated: boolean;
  seats: LobbySeat[];
  speed: string;
  takebacks: "off" | "consent" | "own";
  title: string;
}
/** How many people wait to be paired for such a game. */
export interface SeekingPeople {
  game: string;
  people: number;
  rated: boolean;
  time: "5+3" | "15+10";
}
/**
 * A ``page`` (from 0) of the ``total`` of tables that wait, what is being played, who waits to be paired, and how
 * many people are ``online`` (rounded down to two digits).
 */
export interface LobbyData {
  live: LiveGame[];
  online: number;
  open: OpenGame[];
  page: number;
  seeking: SeekingPeople[];
  total: number;
}
/** The lobby, as its socket sends it. */
export interface LobbyMessage extends LobbyData {
  type: "lobby";
}
/** The seats of a rated game were drawn: for each seat, the one to which its player moved. */
export interface LotsEvent {
  at?: number;
  kind: "lots";
  number: number;
  seats: number[];
  state: TableStateData;
  type: "event";
}
/** The asking person; null if there is none yet. */
export interface MeResponse {
  person: PersonResponse | null;
}
/** Something written at a time (milliseconds); ``mine``: by oneself. */
export interface MessageResponse {
  at: number;
  id: number;
  mine: boolean;
  text: string;
}
/** What two have written each other, the latest first; ``more``: what ``before`` is to be for what came earlier. */
export interface MessagesResponse {
  friend: boolean;
  messages: MessageResponse[];
  more: number | null;
}
/** A game in progress. */
export interface MyTable {
  game: string;
  id: string;
  mover: number | null;
  over: boolean;
  seats: MySeat[];
  speed: string;
  title: string;
  yourSeats: number[];
}
/** A person's games in progress. */
export interface MyTables {
  tables: MyTable[];
}
/** A challenge or a game of yours has come or gone, or may have: ask again. */
export interface NewsMessage {
  type: "news";
}
/** That it has been noted, and no more. */
export interface NotedResponse {
  noted: true;
}
/** Something was proposed, or refused (``seat`` is whose answer it was, or who withdrew it). */
export interface OfferEvent {
  at?: number;
  kind: "offer" | "declined";
  number: number;
  ply?: number;
  seat: number;
  state: TableStateData;
  type: "event";
  what: "takeback" | "draw" | "adjourn" | "continue" | "rematch";
}
/** What opens a seat: a token for you, or a link for a friend. It appears only here. */
export interface OpenedSeat {
  link: string | null;
  seat: number;
  token: string | null;
}
/** A new table. */
export interface OpenedTable {
  id: string;
  seats: OpenedSeat[];
  watch: string;
}
/** A player's results against another, or in games with them. */
export interface OpponentResponse {
  drawn: number;
  handle: string;
  kind: "account" | "bot" | "staff";
  lost: number;
  name: string;
  played: number;
  won: number;
}
/** Who plays whom, in the order of their seats; alone: who sits out. */
export interface PairingResponse {
  bye: boolean;
  number: number;
  people: PersonResponse[];
  playOff: boolean;
  result: ResultResponse | null;
  round: number;
  table: string | null;
}
/** How a game ended; ``forfeits`` are the seats that lost without playing. */
export interface ResultResponse {
  forfeits: number[];
  margins: number[] | null;
  scores: number[];
}
/** The game as it stood after ``ply`` actions: the position without ways to go on, and the action that led there. */
export interface PastPosition {
  id: string;
  move: Move | null;
  ply: number;
  view: PositionView;
}
/** People that were found, those whose handle begins so first. */
export interface PeopleResponse {
  people: PersonResponse[];
}
/** Ask for a sign of life. */
export interface PingMessage {
  id?: string;
  type: "ping";
}
/** Play ``action``, or several ``actions`` of yours, after ``ply`` actions. */
export interface PlayMessage {
  action?: string;
  actions?: string[];
  id: string;
  number?: number | null;
  ply: number;
  type: "act";
}
/** A position in which ``games`` of a person's games began; ``optionText`` has the options that are not usual. */
export interface PlayedStart {
  game: string;
  games: number;
  optionText: string;
  position: string;
  title: string;
}
/** Where a person's games began; ``loaded`` of them come from files. */
export interface PlayedStarts {
  loaded: number;
  starts: PlayedStart[];
}
/**
 * What a decision of ``mover`` did in a game of three, in shares of the point: its ``cost`` to the mover, and the
 * ``hit``, what it took from ``leader``, the better of the other two, for the third. ``power``: how much a mover who
 * was ``hopeless`` could shift between those two.
 */
export interface PoliticalDecision {
  cost: number;
  hit: number;
  hopeless: boolean;
  leader: number;
  mover: number;
  power: number;
}
/** How a player decided: how many ``decisions`` there were, and the means of the political meter's figures. */
export interface PoliticalPlayer {
  cost: number | null;
  decisions: number;
  hopeless: number | null;
  power: number | null;
  tax: number | null;
}
/** The political meter of a game of three, by decision and by seat. */
export interface Politics {
  decisions: PoliticalDecision[];
  players: PoliticalPlayer[];
}
/** An answer to ``ping``. */
export interface Pong {
  id?: string;
  type: "pong";
}
/** The answer to ``ping?``. */
export interface PongMessage {
  n: number;
  type: "pong";
}
/** Who is here. */
export interface PresenceMessage {
  seats: SeatPresence[];
  type: "here";
  watchers: number;
}
/**
 * When the player of ``seat`` left (the server's milliseconds); null: they are here. ``came``: false if they
 * were invited and are still to come.
 */
export interface SeatPresence {
  came: boolean;
  seat: number;
  since: number | null;
}
/** How a preset looks: its board, what stands on it, and the art of its players. */
export interface PresetPicture {
  art: Art;
  board: BoardView;
  id: string;
  pieces: Piece[];
}
/**
 * The board and the start of a game, and what the moves that were asked for change there. ``unrated`` is the
 * sentence that says why games with these options are never rated, or null.
 */
export interface Preview {
  line: PreviewStep[];
  table: TableView;
  unrated: string | null;
  view: PositionView;
}
/**
 * What a move changes: the pieces that are new or otherwise than before, the cells that are empty now, all marks,
 * and the cells of what happened, one thing after another.
 */
export interface PreviewStep {
  events: string[][];
  gone: string[];
  marks: Mark[];
  pieces: Piece[];
}
/** A person and their results. ``following``: you follow them; ``friend``: you follow each other. */
export interface ProfileResponse {
  following: boolean;
  friend: boolean;
  games: ResultsResponse[];
  handle: string;
  kind: "account" | "bot" | "staff";
  name: string;
  opponents: OpponentResponse[];
  ratings: RatingResponse[];
  since: number;
}
/** Results in games of one kind from one seat. */
export interface ResultsResponse {
  drawn: number;
  game: string;
  lost: number;
  played: number;
  players: number;
  seat: number;
  speed: string;
  won: number;
}
/** A rating in games of one kind. */
export interface RatingResponse extends RatingView {
  game: string;
  games: number;
  players: number;
  speed: string;
}
/** A person's progress in all lessons that they have begun. */
export interface ProgressKept {
  lessons: LessonProgressData[];
}
/**
 * The result of a try: its actions and the best answers as ``frames``. A decided puzzle shows its ``tags`` with
 * ``titles`` for people, and the solver's ``standing``; the ``change`` of the rating is null if it was decided
 * before. After a wrong action ``refutation`` shows why it is wrong.
 */
export interface PuzzleAnswer {
  change: number | null;
  frames: LessonFrame[];
  game: string;
  refutation: LessonFrame[];
  standing: PuzzleStanding | null;
  state: "going" | "right" | "wrong" | "unsure";
  tags: string[];
  titles: string[];
}
/**
 * A person's rating in the puzzles of a game, the number of puzzles tried, and the streak: how many of the last
 * ones were right at the first try. The rating is ``provisional`` until some puzzles have settled it.
 */
export interface PuzzleStanding {
  deviation: number;
  provisional: boolean;
  rating: number;
  streak: number;
  tried: number;
}
/**
 * A puzzle to solve. ``player`` is the solver; ``again``: they failed it before and it is due; ``settled``: they
 * have tried it, so their rating stays as it is; ``day``: the day (as 2026-11-25) whose puzzle was asked for;
 * ``options``: the names of those that are named to the solver in any case.
 */
export interface PuzzleData {
  again: boolean;
  day: string | null;
  game: string;
  id: string;
  options: string[];
  player: number;
  rating: number;
  settled: boolean;
  table: TableView;
  task: string;
  tries: number;
  turns: number;
  view: PositionView;
}
/** The daily puzzles of a month, and which day is ``today`` (UTC). */
export interface PuzzleDays {
  games: GamePuzzleDays[];
  today: string;
}
/** The puzzles of a game: how many, between which ratings, with which themes; ``standing`` is the asker's. */
export interface PuzzleGame {
  count: number;
  game: string;
  high: number;
  low: number;
  standing: PuzzleStanding;
  themes: PuzzleTheme[];
  title: string;
}
/** A tag, its title for people, and how many puzzles have it. */
export interface PuzzleTheme {
  count: number;
  tag: string;
  title: string;
}
/** What the asker has tried, the last first. */
export interface PuzzleHistory {
  tried: PuzzleTried[];
}
/** A puzzle that was tried: ``at`` in milliseconds, the rating after it, ``due`` when it comes again (null: not). */
export interface PuzzleTried {
  at: number;
  due: number | null;
  game: string;
  id: string;
  rating: number;
  right: boolean;
}
/** Ids of puzzles to solve one after another, from easy to hard. */
export interface PuzzleRun {
  puzzles: string[];
}
/** All games that have puzzles. */
export interface PuzzleThemes {
  games: PuzzleGame[];
}
/** ``counted``: whether the game has been counted; until then, and where it does not count, nothing has changed. */
export interface RatingChanges {
  counted: boolean;
  seats: SeatRatingChange[];
}
/** The rating of a seat's player, before the game and after it. */
export interface SeatRatingChange {
  after: number;
  before: number;
  provisional: boolean;
  seat: number;
}
/** Moves played from a position: ``nodes`` one after another, ``view`` of the last position, with its paths. */
export interface Reached {
  nodes: AnalysedMove[];
  view: PositionView;
}
/** A record that was read, with the ``comment`` before its first move; ``error`` says what could not be. */
export interface RecordData {
  comment: string;
  error: ErrorData | null;
  games: number;
  headers: Record<string, string>;
  moves: RecordMove[];
  start: string;
  table: TableView;
  tree: RecordTree[];
}
/** A move, its comment, signs of judgement such as ``! $10``, and the lines that could stand in its place. */
export interface RecordTree {
  comment: string;
  signs: string;
  text: string;
  variations: RecordTree[][];
}
/**
 * How one's account can be recovered: whether there is a ``code``; the confirmed ``email``; whether letters can be
 * sent here (``mail``).
 */
export interface RecoveryResponse {
  code: boolean;
  email: string | null;
  mail: boolean;
}
/** What a wrong try leads to. */
export interface RefutationData {
  frames: LessonFrame[];
  says: string;
}
/** The rematch is played at table ``id``. */
export interface RematchEvent {
  at?: number;
  id: string;
  kind: "rematch";
  number: number;
  state: TableStateData;
  type: "event";
}
/** The clocks had stood still for ``lost`` milliseconds. */
export interface ResumedEvent {
  at?: number;
  kind: "resumed";
  lost: number;
  number: number;
  state: TableStateData;
  type: "event";
}
/**
 * A rulebook. A section is (title, paragraphs, ids of its examples). ``skins`` tell the rules otherwise, where they
 * are asked for. ``printable``: the server makes PDFs of the game.
 */
export interface RulesData {
  examples: ExampleData[];
  printable: boolean;
  sections: [string, string[], string[]][];
  skins: SkinTitle[];
  title: string;
}
/** A skin that has rules of its own. */
export interface SkinTitle {
  id: string;
  title: string;
}
/** You sit there; ``token`` is null where you did already. */
export interface SatDown {
  id: string;
  seat: number;
  token: string | null;
}
/** Say something. */
export interface SayMessage {
  id: string;
  room: "players" | "watchers";
  seat?: number | null;
  text: string;
  type: "say";
}
/** A player took the seat or left it, resigned, ran out of time, or the seat's link was replaced. */
export interface SeatEvent {
  at?: number;
  kind: "sit" | "stand" | "resign" | "flag" | "link";
  name?: string;
  number: number;
  seat: number;
  state: TableStateData;
  type: "event";
}
/** A new link to a seat. */
export interface SeatLink {
  id: string;
  link: string;
  seat: number;
}
/** Resign, or propose something, in ``seat`` (the first of yours, if left out). */
export interface SeatMessage {
  id: string;
  number?: number | null;
  seat?: number | null;
  type: "resign" | "draw" | "adjourn" | "continue" | "rematch";
}
/** A browser that is signed in, or a program's token (kind ``bot``); times in milliseconds. */
export interface SessionResponse {
  created: number;
  current: boolean;
  id: string;
  kind: "browser" | "bot";
  name: string;
  seen: number;
}
/** Everything by which one is signed in. */
export interface SessionsResponse {
  sessions: SessionResponse[];
}
/**
 * Everything that is needed to show the table. ``start`` is the position before the first move; ``tallies`` are the
 * numbers of ``view.standing`` before the first move and after each, null where the game has none.
 */
export interface Snapshot {
  id: string;
  start: string;
  state: SnapshotState;
  table: TableView;
  tallies: number[][] | null;
  type: "snapshot";
}
/** The state, and every move of the game. */
export interface SnapshotState extends TableStateData {
  moves: Move[];
}
/** Ask for a snapshot. */
export interface SnapshotMessage {
  type: "snapshot";
}
/** A line of the standings; ``playing`` is the player's current table. */
export interface StandingResponse extends EntrantResponse {
  games: number;
  playing: string | null;
  points: number;
  rank: number;
  tiebreaks: number[];
}
/** Actions that reach the goal, with the replies. */
export interface StepSolution {
  frames: LessonFrame[];
}
/** You left the seat, as event ``number``. */
export interface Stood {
  id: string;
  number: number;
}
/** Stop. */
export interface StopMessage {
  type: "stop";
}
/** The game went back to ``ply`` actions. ``own``: a retraction without consent. */
export interface TakebackEvent {
  at?: number;
  kind: "takeback";
  number: number;
  own?: boolean;
  ply: number;
  seat: number;
  spent?: boolean;
  state: TableStateData;
  type: "event";
}
/** Go back to ``ply`` actions, or to before your own last turn; ``at``: how many actions you know of. */
export interface TakebackMessage {
  at?: number | null;
  id: string;
  number?: number | null;
  ply?: number | null;
  type: "takeback";
}
/**
 * Think for the engine in ``seat``, since you have said that your device can: answer ``thought`` with the same
 * ``n``. A fresh engine of ``level`` with that ``seed`` chooses an action in ``position`` (a position string). The
 * server thinks itself if the answer is late or illegal.
 */
export interface ThinkQuestion {
  level: number;
  n: number;
  position: string;
  seat: number;
  seed: number;
  type: "think";
}
/** Say whether your device can think for the engines of your table, as ``think`` asks. */
export interface ThinkerMessage {
  can: boolean;
  type: "thinker";
}
/**
 * How far the engine in ``seat`` has come. ``preparing``: it does not think yet, its kernels are being compiled,
 * which happens once on a machine; null once it thinks.
 */
export interface Thinking {
  info: Info;
  preparing: Preparing | null;
  seat: number;
  type: "thinking";
}
/** The answer to ``think`` with the same ``n``: the engine's ``action``, or null if the device found none. */
export interface ThoughtMessage {
  action?: string | null;
  n: number;
  type: "thought";
}
/** What a column of the standings is. */
export interface TiebreakResponse {
  id: string;
  title: string;
  words: string;
}
/** A token; it appears only here. */
export interface TokenResponse {
  id: string;
  name: string;
  token: string;
}
/** A tournament as it is now. */
export interface TournamentMessage extends TournamentResponse {
  type: "tournament";
}
/**
 * A tournament; ``yours``: you organise it; ``may``: what you may do about it now; ``yourTable``: where you play
 * now.
 */
export interface TournamentResponse extends HeadResponse {
  about: string;
  cycles: number;
  hours: number | null;
  may: ("begin" | "call-off" | "take-over")[];
  pairings: PairingResponse[];
  players: string[];
  since: number | null;
  standings: StandingResponse[];
  tiebreaks: TiebreakResponse[];
  wait: number;
  you: EntrantResponse | null;
  yourTable: string | null;
  yourTables: string[];
  yours: boolean;
}
/** Those that run, then those that wait, then those that are over and had begun, the newest first. */
export interface TournamentsResponse {
  tournaments: HeadResponse[];
}
/**
 * What came of a try: its actions and the replies as ``frames``; ``state`` says whether the goal is reached,
 * missed, or the learner goes on.
 */
export interface TryAnswer {
  frames: LessonFrame[];
  refutation: RefutationData | null;
  says: string;
  state: "going" | "reached" | "missed";
}
/** A record as text. */
export interface WrittenRecord {
  record: string;
}
/** The answer to a request that was refused. */
export interface Wrong {
  error: ErrorData;
}
/** What is said on each socket. */
export interface Sockets {
  "/api/analysis": {
    client: GoMessage | StopMessage | PingMessage;
    server: AnalysisInfo | AnalysisDone | Pong | ErrorMessage;
  };
  "/api/lobby/live": {
    client: PingMessage;
    server: LobbyMessage | LobbyChangesMessage | Pong | ErrorMessage;
  };
  "/api/me/live": {
    client: PingMessage;
    server: NewsMessage | Pong | ErrorMessage;
  };
  "/api/tables/{table_id}/live": {
    client:
      | PlayMessage
      | TakebackMessage
      | AnswerMessage
      | SeatMessage
      | AbortMessage
      | ClaimMessage
      | SayMessage
      | SnapshotMessage
      | PingMessage
      | PongMessage
      | ThinkerMessage
      | ThoughtMessage;
    server:
      | Snapshot
      | ActionEvent
      | TakebackEvent
      | SeatEvent
      | LotsEvent
      | OfferEvent
      | AgreedEvent
      | ClaimEvent
      | EndEvent
      | BreakEvent
      | RematchEvent
      | ResumedEvent
      | Ack
      | ErrorMessage
      | Thinking
      | ThinkQuestion
      | Pong
      | LagQuestion
      | PresenceMessage
      | ChatMessage
      | ChatHistory;
  };
  "/api/tournaments/{tournament_id}/live": {
    server: TournamentMessage | ErrorMessage;
  };
}

/** The page's addresses, and the part of it that shows each. */
export const PAGES = {
  "/": "home",
  "/@{handle}": "profile",
  "/about": "about",
  "/account": "account",
  "/analysis": "analysis",
  "/console": "console",
  "/dial/{game}": "dial",
  "/games": "games",
  "/lab": "lab",
  "/lab/{game}": "lab",
  "/learn": "learn",
  "/learn/{game}": "learn",
  "/learn/{game}/{id}": "lesson",
  "/moments/{id}": "moments",
  "/play/{game}": "home",
  "/players": "players",
  "/players/{game}": "players",
  "/puzzles": "puzzles",
  "/puzzles/daily": "puzzles",
  "/puzzles/{game}": "puzzles",
  "/puzzles/{game}/{id}": "puzzles",
  "/rules": "rules",
  "/rules/{game}": "rules",
  "/rules/{game}/{skin}": "rules",
  "/t/{id}": "table",
  "/tournaments": "tournaments",
  "/tournaments/{id}": "tournament",
} as const;
