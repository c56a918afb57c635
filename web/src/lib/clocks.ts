/** The clocks that are offered when a table or a tournament is made. */
export const CLOCKS: Record<string, [string, Record<string, unknown> | null]> = {
  none: ["No clock", null],
  blitz: ["3 minutes and 2 seconds a turn", { kind: "fischer", minutes: 3, increment: 2 }],
  short: ["5 minutes and 3 seconds a turn", { kind: "fischer", minutes: 5, increment: 3 }],
  long: ["15 minutes and 10 seconds a turn", { kind: "fischer", minutes: 15, increment: 10 }],
  byoyomi: ["10 minutes, then 5 times 30 seconds", { kind: "byoyomi", minutes: 10, periods: 5, seconds: 30 }],
  egg: ["Egg timer: 3 minutes a turn", { kind: "turn", seconds: 180 }],
  move: ["10 minutes a move", { kind: "move", minutes: 10 }],
  days: ["3 days a turn", { kind: "correspondence", days: 3 }],
};
