// Elements from code: no HTML text is ever parsed, so no text of a session can become an element.

type Attributes = Readonly<Record<string, string | boolean | undefined>>;
type Child = Node | string;

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  setAll(element, attributes);
  element.append(...children);
  return element;
}

export function s<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAll(element, attributes);
  element.append(...children);
  return element;
}

function setAll(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) set(element, name, value);
}

/** true: there, without a value; false: not there. */
export function set(element: Element, name: string, value: string | boolean): void {
  if (value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : value);
}

let ids = 0;
/** An id that no other element of the page has. */
export function newId(): string {
  ids += 1;
  return `cf-${ids}`;
}
