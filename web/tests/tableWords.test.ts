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
  type Standing,
} from "../src/board/tableWords";
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
  players: ["First", "Second"],
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
  expect(promptWords(standing(away))).toBe("Second is thinking.");
  expect(promptWords(standing({ ...away, seats: [PERSON, PERSON] }))).toBe("Waiting for Second.");
  expect(promptWords(standing({ ...away, waiting: [1] }))).toBe("Waiting for Second.");
  expect(promptWords(standing({ expected: [1] }))).toBe("Waiting for Second to join.");
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
