import { beforeEach, describe, expect, test, vi } from "vitest";
import { Preview } from "../src/board/preview";
import { NO_TURN, Turn, type TurnHost } from "../src/board/turn";
import type { Path, View } from "../src/lib/types";
import { table, view } from "./boards";

const PLACE: Path[] = ["a1", "b1"].flatMap((cell) =>
  ["X", "O"].map((kind): Path => [`${kind}${cell}`, [`#${kind}`, cell], `${kind} on ${cell}`]),
);
const MOVE: Path[] = [
  ["a1-b1", ["a1", "b1"], "a1 to b1"],
  ["a1-c1^", ["a1", "c1", "#up"], "a1 to c1, up"],
  ["a1-c1v", ["a1", "c1", "#down"], "a1 to c1, down"],
];
const [cross, ring, up] = table.picks as [(typeof table.picks)[0], (typeof table.picks)[0], (typeof table.picks)[0]];

/** A table that remembers what was done at it. */
class TestHost implements TurnHost {
  state = NO_TURN;
  view: View;
  table = table;
  able = true;
  closed = "";
  asks = false;
  played: (readonly string[])[] = [];
  said: string[] = [];
  next: { view: View; says: string } | null = null;
  explain = vi.fn(async (): Promise<string> => "it is taken");
  marks: Readonly<Record<string, string>> = {};
  focus = vi.fn();
  moved = vi.fn();

  constructor(paths: Path[]) {
    this.view = view(paths);
  }
  confirms = (): boolean => this.asks;
  lookAhead = async (): Promise<{ view: View; says: string } | null> => this.next;
  marked = (cell: string): string => this.marks[cell] ?? "";
  play = (actions: readonly string[]): void => void this.played.push(actions);
  announce = (text: string): void => void this.said.push(text);
}
let host: TestHost;
let turn: Turn;
function sit(paths: Path[]): void {
  host = new TestHost(paths);
  turn = new Turn(host);
}
const settled = (): Promise<void> => new Promise((done) => setTimeout(done));

describe("placing", () => {
  beforeEach(() => sit(PLACE));

  test("a pick and a cell are an action, and the pick stays for the next turn", () => {
    turn.choosePick(cross, "pointer");
    expect([...turn.legal.keys()]).toEqual(["a1", "b1"]);
    turn.chooseCell("b1", "pointer");
    expect(host.played).toEqual([["Xb1"]]);
    expect(turn.shown).toEqual({ cells: ["b1"], symbol: "X" });
    expect(turn.open).toBe(false);
    host.view = view(PLACE, { position: "later" });
    turn.restart();
    expect(host.state.chosen.picks).toEqual(["X"]);
    expect(turn.open).toBe(true);
  });
  test("a pick clicked while a move is being sent is answered", () => {
    turn.choosePick(cross, "pointer");
    turn.chooseCell("b1", "pointer");
    turn.choosePick(ring, "pointer");
    expect(host.state.refusal).toContain("Sending your move");
  });
  test("a cell first opens the popup of picks there", () => {
    turn.chooseCell("a1", "pointer");
    expect(host.state.chooser).toEqual({ cell: "a1", by: "pointer" });
    turn.choosePick(ring, "pointer");
    expect(host.played).toEqual([["Oa1"]]);
  });
  test("the popup says why another pick of the group is not offered", async () => {
    sit(PLACE.filter(([action]) => action !== "Oa1"));
    host.explain.mockResolvedValue("a ring may not stand here");
    turn.chooseCell("a1", "pointer");
    await settled();
    expect(host.explain).toHaveBeenCalledWith(host.view.position, ["#O", "a1"]);
    expect(host.state.chooser).toEqual({ cell: "a1", by: "pointer", why: "a1: a ring may not stand here." });
    expect(host.played).toEqual([]);
  });
  test("a pick chosen again is put down, another of its group takes its place", () => {
    turn.choosePick(cross, "key");
    turn.choosePick(ring, "key");
    expect(host.state.chosen.picks).toEqual(["O"]);
    turn.choosePick(ring, "key");
    expect(host.state.chosen.picks).toEqual([]);
    expect(host.state.held).toBeNull();
  });
  test("an illegal cell is explained by the steps that led there", async () => {
    turn.choosePick(cross, "pointer");
    turn.chooseCell("d4", "pointer");
    await settled();
    expect(host.explain).toHaveBeenCalledWith("start", ["#X", "d4"]);
    expect(host.state.refusal).toBe("d4: it is taken.");
    expect(host.played).toEqual([]);
  });
  test("what is marked on a cell comes before why it cannot be chosen", async () => {
    host.marks = { d4: "It could take a1." };
    turn.chooseCell("d4", "pointer");
    await settled();
    expect(host.state.refusal).toBe("It could take a1.");
    expect(host.state.refused?.cell).toBe("d4");
    turn.choosePick(cross, "pointer");
    turn.chooseCell("d4", "pointer");
    await settled();
    expect(host.state.refusal).toBe("d4: it is taken.");
  });
  test("nothing is chosen while another is to move", () => {
    host.able = false;
    turn.chooseCell("a1", "pointer");
    turn.choosePick(cross, "pointer");
    expect(host.state).toEqual(NO_TURN);
    expect(turn.legal.size).toBe(0);
  });
  test("a choice that cannot be made says why, every time", () => {
    host.able = false;
    host.closed = "It is South's turn.";
    turn.chooseCell("a1", "pointer");
    expect(host.state.refusal).toBe("It is South's turn.");
    const first = host.state.refused;
    expect(first?.cell).toBe("a1");
    turn.chooseCell("a1", "pointer");
    expect(host.state.refused).not.toEqual(first);
    expect(host.said).toEqual(["It is South's turn.", "It is South's turn."]);
  });
  test("where no reason can be told, what is asked for is said again", async () => {
    host.explain.mockResolvedValue("");
    turn.chooseCell("d4", "pointer");
    await settled();
    expect(host.state.refusal).toContain("You can't choose d4 now.");
  });
});

describe("moving", () => {
  beforeEach(() => sit(MOVE));

  test("after a refusal the piece stays chosen, and another target is enough", async () => {
    turn.chooseCell("a1", "pointer");
    turn.chooseCell("d4", "pointer");
    expect(host.explain).toHaveBeenCalledWith("start", ["a1", "d4"]);
    await settled();
    expect(host.state.refusal).not.toBe("");
    turn.chooseCell("b1", "pointer");
    expect(host.played).toEqual([["a1-b1"]]);
    expect(host.state.refusal).toBe("");
  });
  test("a drag to where a piece cannot go is explained", async () => {
    turn.drag("a1", "d4");
    await settled();
    expect(host.explain).toHaveBeenCalledWith("start", ["a1", "d4"]);
    expect(host.state.refused?.cell).toBe("d4");
    turn.chooseCell("b1", "pointer"); // the piece is still chosen
    expect(host.played).toEqual([["a1-b1"]]);
  });
  test("two cells are an action; a drag chooses both", () => {
    turn.drag("a1", "b1");
    expect(host.played).toEqual([["a1-b1"]]);
  });
  test("a piece can be dragged from a cell that leads on to another, not from one that ends an action", () => {
    expect(["a1", "b1", "c1"].filter((cell) => turn.movable(cell))).toEqual(["a1"]);
    sit(PLACE);
    turn.choosePick(cross, "pointer");
    expect(turn.movable("a1")).toBe(false);
    sit(MOVE);
    host.able = false;
    expect(turn.movable("a1")).toBe(false);
  });
  test("a drag begins the turn again: the cell where it begins is not sent", () => {
    sit([...MOVE, ["b1-c1", ["b1", "c1"], "b1 to c1"]]);
    host.asks = true;
    turn.drag("a1", "b1");
    turn.drag("b1", "c1");
    expect(host.played).toEqual([]);
    expect(host.state.pending?.actions).toEqual(["b1-c1"]);
  });
  test("where a pick is missing it is asked for at the goal, and the keyboard returns there", () => {
    turn.chooseCell("a1", "key");
    turn.chooseCell("c1", "key");
    expect(host.state.chooser).toEqual({ cell: "c1", by: "key" });
    expect(turn.choices.picks).toEqual(new Set(["up", "down"]));
    turn.choosePick(up, "key");
    expect(host.focus).toHaveBeenCalledWith("c1");
    expect(host.played).toEqual([["a1-c1^"]]);
  });
  test("what was chosen is taken back before what is held", () => {
    turn.chooseCell("a1", "pointer");
    expect(turn.cancel(null)).toBe(true);
    expect(host.state.chosen.cells).toEqual([]);
    expect(turn.cancel(null)).toBe(false);
  });
});

describe("a turn that waits to be confirmed", () => {
  beforeEach(() => {
    sit(MOVE);
    host.asks = true;
  });

  test("a grave action is asked about even where nothing else is, and is not kept as a step of the turn", async () => {
    sit(MOVE);
    host.view = view(MOVE, { grave: { "a1-b1": "It won't come back." } });
    host.next = { view: view(MOVE, { position: "later" }), says: "a1 to b1." };
    turn.chooseCell("a1", "pointer");
    turn.chooseCell("b1", "pointer");
    await settled();
    expect(host.played).toEqual([]);
    expect(host.said.join()).toContain("It won't come back. A1 to b1? Press");
    expect(host.state.staged).toEqual([]);
    const { pending } = host.state;
    expect(pending && turn.grave(pending)).toBe("It won't come back.");
    turn.send(pending);
    expect(host.played).toEqual([["a1-b1"]]);
  });
  test("is sent when its last cell is chosen again", async () => {
    host.next = { view: view([], { position: "next", mover: 1 }), says: "Moved." };
    turn.drag("a1", "b1");
    await settled();
    expect(host.played).toEqual([]);
    expect(host.state.preview?.says).toBe("Moved.");
    expect([...turn.legal.keys()]).toContain("b1");
    turn.chooseCell("b1", "pointer");
    expect(host.played).toEqual([["a1-b1"]]);
  });
  test("goes on where the same player does, is undone step by step, and is sent as one", async () => {
    const second: Path[] = [["b1-c1", ["b1", "c1"], "b1 to c1"]];
    host.next = { view: view(second, { position: "next", mover: 0 }), says: "Moved." };
    turn.drag("a1", "b1");
    await settled();
    expect(turn.view.position).toBe("next");
    expect(host.state.staged).toHaveLength(1);
    turn.undo();
    expect(turn.view.position).toBe("start");
    turn.drag("a1", "b1");
    await settled();
    host.next = { view: view([], { position: "end", mover: 1 }), says: "Done." };
    turn.drag("b1", "c1");
    await settled();
    turn.send(host.state.pending);
    expect(host.played).toEqual([["a1-b1", "b1-c1"]]);
  });
  test("goes on though the server has sent the same position again before it answered", async () => {
    host.next = { view: view([], { position: "next", mover: 0 }), says: "Moved." };
    turn.drag("a1", "b1");
    host.view = view(MOVE);
    await settled();
    expect(host.state.staged).toHaveLength(1);
  });
  test("another cell replaces the last one", async () => {
    turn.drag("a1", "b1");
    turn.chooseCell("a1", "pointer");
    expect(host.state.pending).toBeNull();
    expect(host.state.chosen.cells).toEqual(["a1"]);
  });
  test("an answer that comes too late changes nothing", async () => {
    host.next = { view: view([], { position: "next", mover: 1 }), says: "Moved." };
    turn.drag("a1", "b1");
    turn.cancel(null);
    await settled();
    expect(host.state.preview).toBeNull();
    expect(host.state.staged).toEqual([]);
  });
});

test("what is legal is read out, with what is held", () => {
  sit(PLACE);
  turn.choosePick(cross, "key");
  expect(turn.legalWords()).toBe("cross: 2 legal cells: a1, b1.");
});

describe("previews", () => {
  test("nothing is asked about a choice that has been played meanwhile", () => {
    vi.useFakeTimers();
    sit(PLACE);
    const asked = vi.spyOn(host, "lookAhead");
    const preview = new Preview(turn, host, () => true);
    turn.choosePick(cross, "pointer");
    preview.overCell("b1", { ...table, picks: table.picks.map((pick) => ({ ...pick, sticky: false })) });
    host.view = view(PLACE, { position: "later" });
    turn.restart();
    vi.runAllTimers();
    expect(asked).not.toHaveBeenCalled();
    vi.useRealTimers();
  });
});
