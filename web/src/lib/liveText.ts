/**
 * Keeps texts up to date under a translator, which puts elements with translations in the place of text nodes. Svelte
 * still writes to those nodes, and removes what lies between two of them. So each node goes back, empty, before the
 * element that stands in for it. When the page writes to the node or removes it, the element goes.
 */
declare module "svelte/elements" {
  interface SVGAttributes<T extends EventTarget> {
    translate?: T extends EventTarget ? "no" : never; // translators heed it there too
  }
}

interface StandIn {
  element: ChildNode;
  /** what the node said before */
  said: string;
  /** whether the empty node was replaced too: it stays out until the page writes to it, or both would go on for ever */
  out: boolean;
}

export function keepTextLive(root: Node): void {
  const standIns = new WeakMap<Node, StandIn>();
  const texts = new WeakMap<Node, Text>(); // by the element that stands in for it

  /** Return the element that takes the place of a removed node: in one step, or after it was put beside it. */
  const replacing = ({ addedNodes: [added], previousSibling, nextSibling }: MutationRecord): Element | undefined =>
    [added, previousSibling, nextSibling].find(
      (node): node is Element =>
        node instanceof Element && (node === added || (node.nodeName === "FONT" && !texts.has(node))),
    );

  function standIn(text: Text, element: Element): void {
    const known = standIns.get(text);
    if (known && !text.data) {
      known.out = true;
      observer.observe(text, { characterData: true });
      return;
    }
    if (element.contains(text)) text.replaceWith(text.cloneNode());
    element.before(text);
    standIns.set(text, { element, said: text.data, out: false });
    text.data = "";
  }
  function release(text: Text, written: boolean): void {
    const known = standIns.get(text);
    if (!known) return;
    standIns.delete(text);
    if (known.out) known.element.before(text);
    if (!written) text.data = known.said;
    known.element.remove();
  }

  const observer = new MutationObserver((records) => {
    const changed = new Map<Text, Element | null>(); // by what replaces it, if something does
    const written = new Set<Text>();
    for (const record of records) {
      if (record.type === "characterData") written.add(record.target as Text);
      for (const node of record.removedNodes) {
        const text = node instanceof Text ? node : texts.get(node);
        const element = node === text ? replacing(record) : undefined;
        if (!text) continue;
        if (element) texts.set(element, text);
        if (element && written.delete(text)) release(text, true);
        changed.set(text, element ?? changed.get(text) ?? null);
      }
    }
    for (const [text, element] of changed) {
      const known = standIns.get(text);
      if (element && written.has(text) && !element.contains(text)) element.replaceWith(text);
      else if (element) {
        written.delete(text);
        standIn(text, element);
      } else if (known && !known.out && !written.has(text)) {
        if (text.isConnected && known.element.isConnected) text.after(known.element);
        else release(text, false);
      }
    }
    for (const text of written) release(text, true);
    observer.takeRecords(); // what was done here
  });
  observer.observe(root, { childList: true, characterData: true, subtree: true });
}
