import { expect, test } from "vitest";
import { view } from "./boards";
import {
  askedWords,
  closedWords,
  outWords,
  promptWords,
  verdictWords,
  afterThreat,
  endingWords,
  givenUpWords,
  namedResult,
  type Standing,
} from "../src/board/tableWords";
import { tellNames } from "../src/board/skin";
import { en } from "../src/words/en";
import { speak } from "../src/words/words";
import { zh } from "../src/words/zh";

const PERSON = {
  kind: "person",
  level: null,
  name: null,
  handle: null,
  badge: null,
  rating: null,
  here: false,
} as const;
const ENGINE = { ...PERSON, kind: "engine", level: 2 } as const;
const standing = (more: Partial<Standing> = {}): Standing => ({
  players: ["You", "Dot"],
  sides: ["First", "Second"],
  seats: [PERSON, ENGINE],
  mine: 0,
  watching: false,
  over: false,
  aborted: false,
  adjourned: false,
  winners: [],
  ending: "",
  victory: "",
  back: null,
  turn: 4,
  mover: 0,
  deciding: true,
  asked: "First: choose a cell.",
  alert: "",
  waiting: [],
  expected: [],
  preparing: null,
  out: [],
  resigned: [],
  ...more,
});

test("whoever decides is asked himself, after what threatens him", () => {
  expect(promptWords(standing())).toBe("Your turn: choose a cell.");
  expect(promptWords(standing({ alert: "Look out" }))).toBe("Your turn. Look out! Choose a cell.");
  expect(promptWords(standing({ mine: null }))).toBe("First: choose a cell.");
});

test("a hint does not hide what threatens the mover", () => {
  expect(afterThreat("", "Look here.")).toBe("Look here.");
  expect(afterThreat("Look out", "Look here.")).toBe("Look out! Look here.");
});

test("what threatens the mover is said before what is asked, wherever a position is shown", () => {
  const { scene } = view([]);
  expect(askedWords(scene)).toBe("Choose.");
  expect(askedWords({ ...scene, alerts: ["Look out", ""] })).toBe("Look out! Choose.");
  expect(askedWords({ ...scene, mover: 1, alerts: ["Look out", ""] })).toBe("Choose.");
});

test("whoever is out of a game that goes on hears who plays on", () => {
  const three = { players: ["White", "Black", "Red"], seats: [PERSON, ENGINE, ENGINE], mover: 1, deciding: false };
  expect(promptWords(standing({ ...three, out: [0] }))).toBe("You're out. Black and Red play on.");
  expect(promptWords(standing({ ...three, out: [0], resigned: [0] }))).toBe("You resigned. Black and Red play on.");
  expect(promptWords(standing({ ...three, out: [2] }))).toBe("Black is thinking.");
  expect(outWords(standing({ ...three, out: [0], over: true }))).toBe("");
});

test("others are waited for by name", () => {
  const away = { mover: 1, deciding: false };
  expect(promptWords(standing(away))).toBe("Dot is thinking.");
  expect(promptWords(standing({ ...away, seats: [PERSON, PERSON] }))).toBe("Waiting for Dot.");
  expect(promptWords(standing({ ...away, waiting: [1] }))).toBe("Waiting for Dot.");
  expect(promptWords(standing({ expected: [1] }))).toBe("Waiting for Dot to join.");
});

test("how it went is said to each player, and not to others", () => {
  const over = { over: true, mover: null, deciding: false, winners: [1], ending: "Second wins." };
  expect(verdictWords(standing(over))).toBe("You lost");
  expect(verdictWords(standing({ ...over, mine: 1 }))).toBe("You won");
  expect(verdictWords(standing({ ...over, winners: [0, 1] }))).toBe("Draw");
  expect(verdictWords(standing({ ...over, mine: null }))).toBe("");
  expect(promptWords(standing(over))).toBe("You lost. Second wins.");
});

test("a win is said to the winner in the game's own words, once", () => {
  const over = { over: true, winners: [0], ending: "First wins with a circle.", victory: "You win with a circle." };
  expect(promptWords(standing(over))).toBe("You win with a circle.");
  expect(endingWords(standing(over))).toBe("");
  expect(endingWords(standing({ ...over, mine: 1 }))).toBe("First wins with a circle.");
  expect(promptWords(standing({ ...over, mine: 1 }))).toBe("You lost. First wins with a circle.");
  expect(promptWords(standing({ ...over, mine: null, watching: true }))).toBe("First wins with a circle.");
  expect(endingWords(standing({ ...over, victory: "", mine: null }))).toBe("First wins with a circle.");
});

test("what is closed says why", () => {
  expect(closedWords(standing({ back: 2 }))).toContain("viewing turn 2");
  expect(closedWords(standing({ watching: true, mine: null, deciding: false }))).toBe("You're watching.");
  expect(closedWords(standing({ over: true, winners: [0] }))).toBe("The game is over.");
});

test("Chinese has its own colon and stop", () => {
  speak(zh, "zh-Hans");
  const chinese = { players: ["先手", "后手"], asked: "先手：落子。" };
  expect(promptWords(standing(chinese))).toBe("轮到你了：落子。");
  expect(promptWords(standing({ ...chinese, over: true, winners: [0], ending: "先手成环获胜。" }))).toBe(
    "你赢了。先手成环获胜。",
  );
  speak(en, "en");
});

test("who gave up is named, and the viewer is told so", () => {
  const two = { mine: 0, players: ["You", "Dot"] };
  const three = { mine: 0, players: ["You", "Dot", "Dash"] };
  expect(givenUpWords("resignation", 1, [0], two)).toBe("Dot resigned.");
  expect(givenUpWords("time", 0, [1], two)).toBe("You ran out of time.");
  expect(givenUpWords("resignation", 0, [2], three)).toBe("You resigned. Dash won.");
  expect(givenUpWords("absence", 1, [0], { mine: null, players: ["Ann", "Dot"] })).toBe("Dot left. Ann won.");
  expect(givenUpWords("circle", -1, [0], two)).toBe("");
});

test("a result begins with the name of who sits there", () => {
  const now = { mine: 0, players: ["You", "Dot"], sides: ["White", "Black"] };
  expect(namedResult("Black wins 14-11.", now)).toBe("Dot wins 14-11.");
  expect(namedResult("Draw: no legal move is left.", now)).toBe("Draw: no legal move is left.");
});

test("sides that the board does not show are called by the players' names", () => {
  const tell = tellNames(["First", "Second"], ["You", "Dot"], 0);
  expect(tell("Second could complete a circle with Red on e5.")).toBe("Dot could complete a circle with Red on e5.");
  expect(tell("First's Red line needs e5.")).toBe("Your Red line needs e5.");
  expect(tell("First: 2, Second: 3.")).toBe("You: 2, Dot: 3.");
  expect(tell("First to move: win this turn.")).toBe("Your move: win this turn.");
  expect(tell("Circle wins for First, line for Second.")).toBe("Circle wins for you, line for Dot.");
  expect(tell("e5 is Firsthand.")).toBe("e5 is Firsthand.");
  expect(tellNames(["First", "Second"], ["First", "Second"], null)("First: 2.")).toBe("First: 2.");
});

test("where cells have owners, the others go by their names", () => {
  const tell = tellNames(["Black", "White"], ["You", "Pip"], 0, true);
  expect(tell("White took from you. Two of White's take it.")).toBe("Pip took from you. Two of Pip's take it.");
  expect(tell("red, Black's")).toBe("red, Black's");
  expect(["Black", "White"].map(tell)).toEqual(["You", "Pip"]);
});

test("a payment is said to the player by name", () => {
  const tell = tellNames(["White", "Black", "Red"], ["You", "Dot", "Pip"], 0);
  expect(tell("White pays 2 coins to Black: tribute for the capture.")).toBe(
    "You pay 2 coins to Dot: tribute for the capture.",
  );
  expect(tell("Red pays 1 coin to White.")).toBe("Pip pays 1 coin to you.");
  expect(tell("White takes Red's 3 coins.")).toBe("You take Pip's 3 coins.");
});
