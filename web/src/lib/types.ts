/**
 * The server's data types under the names that the page uses. `npm run types` generates them from the server
 * (protocol.generated.ts).
 */
import type { PositionView, SeatView, Sockets, Symbol as SymbolData, TableStateData } from "./protocol.generated";

export type * from "./protocol.generated";
export type {
  BoardView as BoardData,
  ChatLine as Said,
  ClockView as Clock,
  ErrorData as Fault,
  Event as GameEvent,
  NotationView as NotationStyle,
  OfferView as Offer,
  Option as OptionData,
  PersonResponse as Person,
  PresenceMessage as Presence,
  RatingView as Rating,
  SceneView as Scene,
  SeatView as SeatData,
  SeatPresence as Away,
  SkinView as Skin,
  TableView as TableData,
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
