/**
 * The server's data types under the names that the page uses. `npm run types` generates them from the server
 * (protocol.generated.ts).
 */
import type {
  ActionEvent,
  PositionView,
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
  GameStudies,
  HintData,
  HintStep,
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
  DialComparison,
  DialFigure,
  DialLots,
  Option as OptionData,
  Outcome,
  Panel,
  PastPosition,
  PersonResponse as Person,
  Pick,
  Piece,
  Preview,
  PlayerArt,
  PoliticalDecision,
  PoliticalPlayer,
  Politics,
  Preparing,
  PresenceMessage as Presence,
  PresetData,
  PresetPicture,
  PuzzleAnswer,
  PuzzleData,
  PuzzleDays,
  PuzzleRun,
  PuzzleStanding,
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

/** The badge beside a name; null for an ordinary account or an open seat. */
export type Badge = SeatView["badge"];

/** A symbol on a cell, or one to choose beside the board. */
export type PieceSymbol = SymbolData;
export type View = PositionView;
/** [action, steps, words] */
export type Path = View["paths"][number];
/** The styles that distinguish pieces without colour. */
export type Style = "character" | "letter" | "symbol";

export type State = TableStateData;
export type TableMessage = Sockets["/api/tables/{table_id}/live"]["server"];
/** An event at a table that the server has stored. */
export type TableEvent = Extract<TableMessage, { type: "event" }>;
export type { ActionEvent };
