/**
 * The server's data under the names that the page uses. The types themselves are made from the server's
 * (protocol.generated.ts, by `npm run types`); nothing is written down here twice.
 */
import type {
  ActionEvent,
  PositionView,
  RatingView,
  SeatView,
  Sockets,
  Symbol as SymbolData,
  TableStateData,
} from "./protocol.generated";

export type {
  Analysed,
  AnalysedLine,
  Art,
  BoardView as BoardData,
  Cell,
  ChatLine as Said,
  ClockView as Clock,
  Counter,
  ErrorData as Fault,
  Event as GameEvent,
  ExampleData,
  Exploration,
  Finding,
  Findings,
  FirstGameData,
  FirstIdea,
  GameData,
  Gesture,
  GameLessons,
  HintData,
  Info,
  LessonData,
  LessonFrame,
  LessonProgressData,
  Line,
  LiveGame,
  LobbyData,
  LobbySeat,
  Mark,
  Move,
  NotationView as NotationStyle,
  OfferView as Offer,
  OpenGame,
  OpenedTable,
  Option as OptionData,
  Outcome,
  Panel,
  PastPosition,
  PersonResponse as Person,
  Pick,
  Piece,
  Preview,
  PlayerArt,
  Preparing,
  PresenceMessage as Presence,
  PresetData,
  PresetPicture,
  PuzzleAnswer,
  PuzzleData,
  PuzzleThemes,
  RatingView as Rating,
  Reached,
  RecordData,
  RecordTree,
  RulesData,
  SceneView as Scene,
  SeatView as SeatData,
  SeatPresence as Away,
  AdviceData,
  StepSolution,
  TryAnswer,
  SkinView as Skin,
  Snapshot,
  TableView as TableData,
  Threat,
  TournamentResponse,
} from "./protocol.generated";

/** The mark beside a name; null: an ordinary account, or an open seat. */
export type Badge = SeatView["badge"];

/** Something that stands on a cell or is chosen beside the board. */
export type PieceSymbol = SymbolData;
export type View = PositionView;
/** [action, steps, words] */
export type Path = View["paths"][number];
/** How pieces are told apart without colour. */
export type Style = "character" | "letter" | "symbol";
/** A rating as it is told in different places: whole, as a number, or not yet known. */
export type AnyRating = RatingView | number | null | undefined;

export type State = TableStateData;
export type TableMessage = Sockets["/api/tables/{table_id}/live"]["server"];
/** Something that happened at a table and is on disk. */
export type TableEvent = Extract<TableMessage, { type: "event" }>;
export type { ActionEvent };
