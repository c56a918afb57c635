/** Texts of the trainer. They are not in the catalogues, so that the first page does not load them. */
import { filled, language, type Language } from "./words";

const en = {
  trainer: "Trainer",
  what: "Learn motifs, not puzzles. Each motif comes back shortly before you would forget it, in a position that you have not tried.",
  hold: "{n} of {all} hold",
  holdWhat:
    "A motif holds once you have tried it three times, saw it the last time, and are 90 % likely to see it tomorrow.",
  trainDue: "Train: {n} due",
  learn: "Learn a new motif",
  ahead: "Train ahead",
  rest: "Nothing is due now. Next: {when}.",
  none: "This game has no motifs yet.",
  allTried: "You have tried all positions of these motifs.",
  new: "New",
  due: "Due",
  learning: "Learning",
  holds: "Holds",
  recall: "Recall today: {share}",
  next: "Next: {when}",
  fresh: "New positions: {n}",
  out: "No new position is left. tercet puzzle make {game} --motif {motif} makes more.",
  which: "Which motif is it? You will see after your try.",
  motif: "Motif: {title}",
  named: "Motif: {title}. {says}",
  overview: "All motifs",
  curve: "How well you remember",
  chart: "Right first tries, by the days since the last try of the motif",
  curveWhat: "The dot is the share with its 95 % interval, the dashed line what the memory expected.",
  tries: "{right} of {n} right, {expected} expected",
} as const;
export type TrainerKey = keyof typeof en;
type TrainerWords = Readonly<Record<TrainerKey, string>>;

const de: TrainerWords = {
  trainer: "Trainer",
  what: "Lerne Motive, nicht Aufgaben. Jedes Motiv kommt wieder, kurz bevor du es vergessen würdest, in einer Stellung, die du noch nicht versucht hast.",
  hold: "{n} von {all} sitzen",
  holdWhat:
    "Ein Motiv sitzt, wenn du es dreimal versucht, zuletzt gesehen hast und morgen mit 90 % Wahrscheinlichkeit sehen wirst.",
  trainDue: "Üben: {n} fällig",
  learn: "Ein neues Motiv lernen",
  ahead: "Im Voraus üben",
  rest: "Jetzt ist nichts fällig. Das nächste: {when}.",
  none: "Dieses Spiel hat noch keine Motive.",
  allTried: "Du hast alle Stellungen dieser Motive versucht.",
  new: "Neu",
  due: "Fällig",
  learning: "Wird gelernt",
  holds: "Sitzt",
  recall: "Heute erinnert: {share}",
  next: "Wieder: {when}",
  fresh: "Neue Stellungen: {n}",
  out: "Es ist keine neue Stellung übrig. tercet puzzle make {game} --motif {motif} macht weitere.",
  which: "Welches Motiv ist es? Nach deinem Versuch siehst du es.",
  motif: "Motiv: {title}",
  named: "Motiv: {title}. {says}",
  overview: "Alle Motive",
  curve: "Wie gut du dich erinnerst",
  chart: "Richtige erste Versuche nach den Tagen seit dem letzten Versuch des Motivs",
  curveWhat:
    "Der Punkt ist der Anteil mit seinem 95-%-Intervall, die gestrichelte Linie die Erwartung des Gedächtnisses.",
  tries: "{right} von {n} richtig, {expected} erwartet",
};

const zh: TrainerWords = {
  trainer: "训练器",
  what: "练的是题型，不是谜题。每个题型都会在你快要忘记之前再次出现，而且总是你没有做过的局面。",
  hold: "已掌握 {n} / {all}",
  holdWhat: "一个题型尝试过三次、最近一次看出来了、明天看出来的可能性达到 90 %，就算已掌握。",
  trainDue: "练习：{n} 个到期",
  learn: "学习新题型",
  ahead: "提前练习",
  rest: "现在没有到期的题型。下一个：{when}。",
  none: "这个游戏还没有题型。",
  allTried: "这些题型的局面你都尝试过了。",
  new: "新",
  due: "到期",
  learning: "学习中",
  holds: "已掌握",
  recall: "今天记得：{share}",
  next: "下次：{when}",
  fresh: "新局面：{n}",
  out: "没有新局面了。tercet puzzle make {game} --motif {motif} 可以再制作一些。",
  which: "这是哪个题型？尝试之后就会显示。",
  motif: "题型：{title}",
  named: "题型：{title}。{says}",
  overview: "所有题型",
  curve: "你记得多牢",
  chart: "第一次就做对的比例，按距离上次尝试该题型的天数",
  curveWhat: "圆点是比例及其 95 % 区间，虚线是记忆模型的预期。",
  tries: "{n} 次中 {right} 次正确，预期 {expected}",
};

const ALL: Readonly<Record<Language, TrainerWords>> = { en, de, zh };

/** Return a text of the trainer. */
export const said = (key: TrainerKey, given: Readonly<Record<string, string | number>> = {}): string =>
  filled(ALL[language][key], given);
