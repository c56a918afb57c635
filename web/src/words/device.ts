/** Texts of the static site. They are not in the catalogues, so that the server's page does not load them. */
import { language, type Language } from "./words";

const en = {
  starting: "Tercet is starting on this device …",
  startingBoard: "Tercet is starting on this device. You can already choose your move.",
  noWasm:
    "This browser cannot run WebAssembly, which Tercet needs. Update the browser, or allow WebAssembly in its settings.",
  noWorker: "This browser could not start Tercet in the background. Update the browser, or reload the page.",
  missing: "A file of this site could not be loaded: {detail}. Check your connection and reload the page.",
  broken: "Tercet could not start: {detail}. Reload the page to try again.",
  stopped: "Tercet has stopped on this device. Your games are kept. Reload the page to go on.",
  updated: "Another version of Tercet was opened in another window. Your games are kept. Reload this page to go on.",
  crashed: "The engine stopped unexpectedly. Another one takes over, and your game goes on.",
  unkept: "This browser stores no data for this site. Games and progress are lost when you close it.",
  full: "This device has no space left for Tercet. What you play from now on is lost when you close the page.",
  noRoom: "This device does not have enough space to keep Tercet for offline play.",
  notKept: "Tercet could not be kept for offline play. Check your connection and try again.",
  elsewhere: "Tercet is already open in another window. Continue there, or close that window to play here.",
  keep: "Keep Tercet on this device to play without a connection?",
  keepYes: "Keep offline",
  keepNo: "Not now",
  keeping: "Saving for offline play: {done} of {all} MB",
  kept: "Tercet is kept on this device and works without a connection.",
  newer: "A new version of Tercet is ready.",
  renew: "Reload now",
  later: "Later",
  title: "This device",
  what: "Your games, lesson progress and puzzle ratings are stored in this browser only. Save them to a file to keep a copy or to move them to another device.",
  export: "Save to a file",
  import: "Load from a file",
  exportFailed: "Your games and progress could not be read. Reload the page and try again.",
  noFile: "This is not a file of saved Tercet games.",
  ownTitle: "Explore your games",
  ownWhat:
    "See what was played in each position of your games, and how those games ended. Games from files count too: add records to them here.",
  ownLoad: "Add games from files",
  ownCount: "games: {n}",
  ownAdded: "Games added: {n}.",
  ownUnread: "Games with mistakes, kept as far as they could be read: {n}.",
  ownLoaded: "Games from files: {n}",
  ownNone: "None of your games reached this position.",
  ownAll: "All games",
  ownLatest: "The latest:",
  server: "Server",
  offered:
    "Connect this page to the server {server}? Games with others, ratings and your account there then appear here. Lessons, analysis and your own games stay on this device.",
  connect: "Connect",
  connected: "Connected to the server {server}",
  disconnect: "Disconnect",
  serverPage: "Open the server’s own page",
  unreachable:
    "The server {server} can’t be reached. Check the address and your connection. Everything that needs no server still works.",
  unnamed:
    "The server {server} does not let this site in. Its operator can name {site} in the setting TERCET_CLIENT_SITES.",
  otherVersion:
    "The server {server} runs Tercet {version}, which does not fit this site. One of the two has to be updated.",
  account: "Your password, signed-in browsers, programs and data are managed on the server’s own page.",
} as const;
type DeviceWords = Readonly<Record<keyof typeof en, string>>;
/** The name of a text. */
export type DeviceKey = keyof DeviceWords;

const de: DeviceWords = {
  starting: "Tercet startet auf diesem Gerät …",
  startingBoard: "Tercet startet auf diesem Gerät. Du kannst deinen Zug schon wählen.",
  noWasm:
    "Dieser Browser kann kein WebAssembly ausführen, das Tercet braucht. Aktualisiere den Browser oder erlaube WebAssembly in seinen Einstellungen.",
  noWorker:
    "Dieser Browser konnte Tercet nicht im Hintergrund starten. Aktualisiere den Browser oder lade die Seite neu.",
  missing: "Eine Datei dieser Website ließ sich nicht laden: {detail}. Prüfe die Verbindung und lade die Seite neu.",
  broken: "Tercet konnte nicht starten: {detail}. Lade die Seite neu, um es noch einmal zu versuchen.",
  stopped:
    "Tercet hat auf diesem Gerät aufgehört zu laufen. Deine Partien sind gespeichert. Lade die Seite neu, um weiterzuspielen.",
  updated:
    "In einem anderen Fenster wurde eine andere Version von Tercet geöffnet. Deine Partien sind gespeichert. Lade diese Seite neu, um weiterzuspielen.",
  crashed: "Die Engine hat unerwartet aufgehört. Eine andere übernimmt, und deine Partie geht weiter.",
  unkept:
    "Dieser Browser speichert für diese Website keine Daten. Partien und Fortschritt gehen verloren, wenn du ihn schließt.",
  full: "Auf diesem Gerät ist kein Speicherplatz mehr für Tercet frei. Was du ab jetzt spielst, geht verloren, wenn du die Seite schließt.",
  noRoom: "Auf diesem Gerät ist nicht genug Platz, um Tercet zum Spielen ohne Verbindung zu speichern.",
  notKept:
    "Tercet ließ sich nicht zum Spielen ohne Verbindung speichern. Prüfe die Verbindung und versuche es noch einmal.",
  elsewhere:
    "Tercet ist schon in einem anderen Fenster offen. Spiele dort weiter, oder schließe es, um hier zu spielen.",
  keep: "Tercet auf diesem Gerät speichern, um ohne Verbindung zu spielen?",
  keepYes: "Offline speichern",
  keepNo: "Jetzt nicht",
  keeping: "Wird zum Offline-Spielen gespeichert: {done} von {all} MB",
  kept: "Tercet ist auf diesem Gerät gespeichert und läuft ohne Verbindung.",
  newer: "Eine neue Version von Tercet ist bereit.",
  renew: "Jetzt neu laden",
  later: "Später",
  title: "Dieses Gerät",
  what: "Deine Partien, dein Fortschritt in den Lektionen und deine Wertungen bei Aufgaben sind nur in diesem Browser gespeichert. Sichere sie in einer Datei, um eine Kopie zu haben oder sie auf ein anderes Gerät mitzunehmen.",
  export: "In Datei sichern",
  import: "Aus Datei laden",
  exportFailed:
    "Deine Partien und dein Fortschritt ließen sich nicht lesen. Lade die Seite neu und versuche es noch einmal.",
  noFile: "Das ist keine Datei mit gesicherten Tercet-Partien.",
  ownTitle: "Deine Partien erkunden",
  ownWhat:
    "Sieh, was in jeder Stellung deiner Partien gespielt wurde und wie diese Partien ausgingen. Partien aus Dateien zählen mit: Füge hier Aufzeichnungen hinzu.",
  ownLoad: "Partien aus Dateien hinzufügen",
  ownCount: "Partien: {n}",
  ownAdded: "Hinzugefügte Partien: {n}.",
  ownUnread: "Partien mit Fehlern, von denen nur der lesbare Teil bleibt: {n}.",
  ownLoaded: "Partien aus Dateien: {n}",
  ownNone: "Keine deiner Partien erreichte diese Stellung.",
  ownAll: "Alle Partien",
  ownLatest: "Die letzten:",
  server: "Server",
  offered:
    "Diese Seite mit dem Server {server} verbinden? Partien mit anderen, Wertungen und dein Konto dort erscheinen dann hier. Lektionen, Analyse und deine eigenen Partien bleiben auf diesem Gerät.",
  connect: "Verbinden",
  connected: "Verbunden mit dem Server {server}",
  disconnect: "Trennen",
  serverPage: "Die Seite des Servers öffnen",
  unreachable:
    "Der Server {server} ist nicht erreichbar. Prüfe die Adresse und die Verbindung. Alles, was keinen Server braucht, geht weiterhin.",
  unnamed:
    "Der Server {server} lässt diese Website nicht zu. Sein Betreiber kann {site} in der Einstellung TERCET_CLIENT_SITES nennen.",
  otherVersion:
    "Der Server {server} hat Tercet {version}, das nicht zu dieser Website passt. Eines von beiden muss aktualisiert werden.",
  account: "Passwort, angemeldete Browser, Programme und Daten verwaltest du auf der Seite des Servers.",
};

const zh: DeviceWords = {
  starting: "正在本设备上启动 Tercet……",
  startingBoard: "正在本设备上启动 Tercet。你已经可以选择着法。",
  noWasm: "此浏览器无法运行 Tercet 所需的 WebAssembly。请更新浏览器，或在其设置中允许 WebAssembly。",
  noWorker: "此浏览器无法在后台启动 Tercet。请更新浏览器，或重新加载页面。",
  missing: "无法加载本站的文件：{detail}。请检查网络连接并重新加载页面。",
  broken: "Tercet 无法启动：{detail}。请重新加载页面再试。",
  stopped: "Tercet 已在本设备上停止运行。你的对局已保存。重新加载页面即可继续。",
  updated: "另一个窗口打开了 Tercet 的其他版本。你的对局已保存。重新加载此页面即可继续。",
  crashed: "引擎意外停止。另一个引擎会接替，你的对局将继续。",
  unkept: "此浏览器不为本站保存数据。关闭后，对局和进度将会丢失。",
  full: "本设备已没有空间供 Tercet 使用。从现在起的对局在关闭页面后将会丢失。",
  noRoom: "本设备空间不足，无法保存 Tercet 以供离线使用。",
  notKept: "无法保存 Tercet 以供离线使用。请检查网络连接后重试。",
  elsewhere: "Tercet 已在另一个窗口中打开。请在那里继续，或关闭那个窗口后在此使用。",
  keep: "要将 Tercet 保存到本设备，以便离线使用吗？",
  keepYes: "离线保存",
  keepNo: "暂不",
  keeping: "正在保存以供离线使用：{done} / {all} MB",
  kept: "Tercet 已保存在本设备上，无需联网即可使用。",
  newer: "Tercet 新版本已就绪。",
  renew: "立即重新加载",
  later: "以后再说",
  title: "本设备",
  what: "你的对局、课程进度和谜题等级分只保存在此浏览器中。可将其存为文件，作为备份或转移到其他设备。",
  export: "存为文件",
  import: "从文件载入",
  exportFailed: "无法读取你的对局和进度。请重新加载页面后重试。",
  noFile: "这不是 Tercet 保存的对局文件。",
  ownTitle: "探索你的对局",
  ownWhat: "查看你的对局在每个局面中走过哪些着法，以及这些对局的结果。来自文件的对局也计入：可在此添加棋谱。",
  ownLoad: "从文件添加对局",
  ownCount: "对局：{n}",
  ownAdded: "已添加对局：{n}。",
  ownUnread: "有错误、只保留可读部分的对局：{n}。",
  ownLoaded: "来自文件的对局：{n}",
  ownNone: "你的对局都没有出现过这个局面。",
  ownAll: "全部对局",
  ownLatest: "最近：",
  server: "服务器",
  offered:
    "要把本页面连接到服务器 {server} 吗？之后，与他人的对局、等级分和你在那里的账号都会显示在这里。课程、分析和你自己的对局仍保存在本设备上。",
  connect: "连接",
  connected: "已连接到服务器 {server}",
  disconnect: "断开连接",
  serverPage: "打开服务器自己的页面",
  unreachable: "无法连接服务器 {server}。请检查地址和网络连接。不需要服务器的功能仍可使用。",
  unnamed: "服务器 {server} 不允许本网站接入。其运营者可以在设置 TERCET_CLIENT_SITES 中写入 {site}。",
  otherVersion: "服务器 {server} 运行的 Tercet {version} 与本网站不匹配。其中一方需要更新。",
  account: "密码、已登录的浏览器、程序和数据在服务器自己的页面上管理。",
};

const ALL: Readonly<Record<Language, DeviceWords>> = { en, de, zh };

/** Return a text in a language of the page, with `given` in its places. */
export function said(key: DeviceKey, language: string, given: Readonly<Record<string, string>> = {}): string {
  return Object.entries(given).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, value),
    (ALL[language as Language] ?? en)[key],
  );
}
/** Return a text in the language of the page. */
export const say = (key: DeviceKey, given?: Readonly<Record<string, string>>): string => said(key, language, given);
