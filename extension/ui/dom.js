// Draws descriptions of elements into the page and changes only what differs, so that focus, caret, selection, scrolling and what is folded out
// stay as the person has them. Text goes in as text: nothing here reads markup.

/**
 * @typedef {object} Described an element as it should be
 * @property {string} tag
 * @property {Record<string, any>} props attributes; `key` tells it from its neighbours, `on` holds its listeners by event
 * @property {Child[]} children
 *
 * @typedef {Described | string | number | false | null | undefined} Child
 * @typedef {Child | Child[]} Part a child, or several
 */

// What an element has as a property, which its attribute only says at the beginning.
const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "indeterminate"]);
const TYPED = new Set(["text", "password", "number", "url", "search", "textarea"]);

/** @type {WeakMap<Element, Record<string, (event: any) => void>>} */
const listeners = new WeakMap();
/** @type {WeakMap<Element, Described>} */
const drawn = new WeakMap();

/**
 * @param {string} tag
 * @param {Record<string, any> | null} [props]
 * @param {...(Part | Part[])} children
 * @returns {Described}
 */
export const h = (tag, props, ...children) => ({ tag, props: props ?? {}, children: /** @type {Child[]} */ (children.flat(2)) });

/**
 * Makes the children of an element what is described. Elements that came from elsewhere are taken out.
 * @param {Element} parent
 * @param {Child | Child[]} wanted
 */
export function patch(parent, wanted) {
  const page = parent.ownerDocument;
  const focused = page.activeElement;
  const children = [wanted].flat().filter((child) => child !== null && child !== undefined && child !== false && child !== "");
  const old = [...parent.childNodes];
  const chosen = children.map((child) => take(old, /** @type {Described | string | number} */ (child)));
  for (const left of old) left.remove();
  let place = parent.firstChild;
  for (const [index, child] of children.entries()) {
    const node = chosen[index] ?? made(page, /** @type {Described | string | number} */ (child));
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
    if (typeof child !== "object") {
      if (node.textContent !== String(child)) node.textContent = String(child);
    } else if (child) update(/** @type {Element} */ (node), child);
  }
  // An element that was moved has lost the focus.
  if (focused && focused !== page.activeElement && parent.contains(focused)) /** @type {HTMLElement} */ (focused).focus();
}

/**
 * An element of its own, for a place that is not drawn again.
 * @param {Described} wanted
 * @returns {HTMLElement}
 */
export function create(wanted) {
  const element = document.createElement(wanted.tag);
  update(element, wanted);
  return element;
}

/**
 * The first of what is there already that the description may go on using.
 * @param {ChildNode[]} old it is taken out of the list
 * @param {Described | string | number} wanted
 */
function take(old, wanted) {
  const at = old.findIndex((node) => {
    if (typeof wanted !== "object") return node.nodeType === 3;
    const before = drawn.get(/** @type {Element} */ (node));
    return before?.tag === wanted.tag && before.props.key === wanted.props.key;
  });
  return at < 0 ? undefined : old.splice(at, 1)[0];
}

/** @param {Document} page @param {Described | string | number} wanted @returns {ChildNode} */
const made = (page, wanted) => (typeof wanted === "object" ? page.createElement(wanted.tag) : page.createTextNode(String(wanted)));

/** @param {Element} element @param {Described} wanted */
function update(element, wanted) {
  const before = drawn.get(element)?.props ?? {};
  drawn.set(element, wanted);
  for (const name of Object.keys(before)) if (!(name in wanted.props)) setProp(element, name, null);
  // A value is set last: that of a select must be among its options, that of a range within its limits.
  const { value, ...props } = wanted.props;
  for (const [name, given] of Object.entries(props)) {
    if (name === "on") listen(element, given);
    else if (given !== before[name] || PROPERTIES.has(name)) setProp(element, name, given);
  }
  patch(element, wanted.children);
  if ("value" in wanted.props) setProp(element, "value", value);
}

/** @param {Element} element @param {string} name @param {any} given */
function setProp(element, name, given) {
  if (name === "key") return;
  if (name === "on") return listen(element, {});
  if (name === "style") {
    // Not as an attribute, which the console's Content-Security-Policy would refuse.
    /** @type {HTMLElement} */ (element).style.cssText = String(given ?? "");
    return;
  }
  if (!PROPERTIES.has(name) || element.localName === "progress") {
    if (given === null || given === undefined || given === false) element.removeAttribute(name);
    else element.setAttribute(name, given === true ? "" : String(given));
    return;
  }
  const target = /** @type {any} */ (element);
  if (name === "value" && isTypedIn(target)) return;
  const next = name === "value" ? String(given ?? "") : Boolean(given);
  if (target[name] !== next) target[name] = next;
}

/** What somebody types in is theirs until they leave it. @param {any} element */
const isTypedIn = (element) => element === element.ownerDocument.activeElement && TYPED.has(element.type);

/** @param {Element} element @param {Record<string, (event: any) => void>} wanted */
function listen(element, wanted) {
  const known = listeners.get(element) ?? {};
  for (const type of Object.keys(wanted)) {
    if (!(type in known)) element.addEventListener(type, (event) => listeners.get(element)?.[type]?.(event));
  }
  listeners.set(element, { ...Object.fromEntries(Object.keys(known).map((type) => [type, () => {}])), ...wanted });
}
