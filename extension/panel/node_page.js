// The page of one memory: what it says, where it comes from, how it hangs together, and what can be changed.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { attempt } from "../ui/view.js";
import { MARKS, marked } from "./memories_data.js";
import { nodeMore } from "./node_more.js";
import { nodeStory } from "./node_story.js";
import { edgeText, kindChip, sign, signButton, stateText, subText } from "./parts.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {import("./memories_data.js").MemoryNode} MemoryNode
 * @typedef {import("./memories_data.js").MemoryEdge} MemoryEdge
 * @typedef {{index: number | null, role: string, name: string, text: string, quote: string}} Message
 * @typedef {{author: string, maker: string, messages: Message[], fields: Record<string, any>}} Belief
 */

const EDGES = 60;
// What is said beside the kind.
const BESIDE = new Set([...MARKS, "archived", "stands"]);

/**
 * @param {Desk} desk
 * @param {() => void} redraw
 * @param {{back: () => void, openNode: (id: string) => void}} ways
 */
export function nodePage(desk, redraw, { back, openNode }) {
  const { app, data } = desk;
  const { t } = app.text;
  /** @type {{node: string, version: number, stats: any, beliefs: Belief[] | null, fault: string}} */
  let why = { node: "", version: -1, stats: null, beliefs: null, fault: "" };
  /** @type {Record<string, string> | null} what is being edited, by field */
  let form = null;
  let edited = "";
  let busy = false;
  let all = false;
  const story = nodeStory(desk, redraw);
  const more = nodeMore(desk, redraw, change);

  /** @param {string} node */
  async function ask(node) {
    const mine = { node, version: data.version(), stats: app.status().stats, beliefs: /** @type {Belief[] | null} */ (why.node === node ? why.beliefs : null), fault: "" };
    why = mine;
    try {
      mine.beliefs = (await app.call("why", { node })).beliefs;
    } catch (error) {
      mine.fault = app.text.error(error);
    }
    if (why === mine) redraw();
  }

  /**
   * A change that can be taken back.
   * @param {string} method @param {object} params @param {string} said
   */
  async function change(method, params, said) {
    if (busy) return false;
    busy = true;
    const chat = app.status().chat?.chat;
    redraw();
    const done = await attempt(app, async () => {
      const { commit } = await app.call(method, params);
      desk.say(said, async () => {
        await app.call("undo", { chat, commit });
        data.renew();
      });
      data.renew();
    });
    busy = false;
    redraw();
    return done;
  }

  /** @param {MemoryNode} node */
  const mainField = (node) => (typeof node.fields["text"] === "string" || typeof node.fields["name"] !== "string" ? "text" : "name");

  /** The fields that are words; what else there is, extraction keeps in step. @param {MemoryNode} node */
  const editable = (node) => [mainField(node), ...Object.keys(node.fields).filter((name) => name !== mainField(node) && typeof node.fields[name] === "string")];

  /** @param {MemoryNode} node */
  const valueOf = (node, /** @type {string} */ name) => String(node.fields[name] ?? (name === mainField(node) ? node.text : ""));

  /** @param {MemoryNode} node */
  async function save(node) {
    const news = Object.entries(form ?? {}).filter(([name, value]) => value.trim() !== valueOf(node, name));
    if (!news.length) {
      form = null;
      return redraw();
    }
    const fields = Object.fromEntries(news.map(([name, value]) => [name, value.trim() || null]));
    if (mainField(node) in fields && !fields[mainField(node)]) return desk.say(t("node.text_wanted"));
    const expects = Object.fromEntries(news.filter(([name]) => name in node.fields).map(([name]) => [name, node.fields[name]]));
    if (await change("node.edit", { node: node.id, fields, expects }, t("node.saved"))) form = null;
    redraw();
  }

  /** @param {MemoryNode} node */
  async function forget(node) {
    if (await change("node.retire", { node: node.id, siblings: true }, t("node.forgotten", { text: short(node.text) }))) back();
  }

  /** @param {MemoryNode} node */
  const fields = (node) => {
    const shown = Object.entries(node.fields).filter(([name]) => name !== mainField(node) && !BESIDE.has(name));
    return h("dl", { key: "fields", class: "tidelore-facts" }, [
      node.sub ? h("div", { key: "-sub" }, h("dt", null, t("node.sub")), h("dd", null, [node.sub, ...node.subs.filter((sub) => sub !== node.sub)].map((sub) => subText(app, sub)).join(t("list.comma")))) : null,
      shown.map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, plain(value)))),
    ]);
  };

  /** @param {any} value */
  const plain = (value) => (Array.isArray(value) ? value.map(String).join(t("list.comma")) : typeof value === "object" ? JSON.stringify(value) : String(value));

  /** @param {MemoryNode} node */
  const editor = (node) =>
    h(
      "form",
      {
        key: "form",
        class: "tidelore-form",
        on: {
          submit: (/** @type {any} */ event) => {
            event.preventDefault();
            void save(node);
          },
        },
      },
      [
        editable(node).map((name) => {
          const id = `tidelore-edit-${name}`;
          const on = { input: (/** @type {any} */ event) => void (form && (form[name] = event.target.value)) };
          return h("div", { key: name, class: "tidelore-field" }, [
            h("label", { for: id }, name === mainField(node) ? t(name === "name" ? "node.name" : "node.text") : name),
            name === mainField(node) && name === "text"
              ? h("textarea", { id, class: "text_pole", rows: 4, value: form?.[name], on })
              : h("input", { id, type: "text", class: "text_pole", autocomplete: "off", value: form?.[name], on }),
          ]);
        }),
        h("div", { key: "actions", class: "tidelore-actions" }, [
          h("button", { key: "save", type: "submit", class: "menu_button tidelore-button tidelore-main", "aria-disabled": busy ? "true" : null }, t("node.save")),
          button(t("node.cancel"), () => {
            form = null;
            redraw();
          }),
        ]),
      ],
    );

  const beliefs = () =>
    h("section", { key: "why", "aria-labelledby": "tidelore-why-title" }, [
      h("h4", { id: "tidelore-why-title" }, t("node.why")),
      why.fault && h("p", { key: "fault", class: "tidelore-bad" }, why.fault),
      !why.beliefs && !why.fault && h("p", { key: "loading", class: "tidelore-note" }, t("memories.loading")),
      h(
        "ol",
        { key: "list", class: "tidelore-list" },
        (why.beliefs ?? []).map(({ author, messages, fields: says }, index) =>
          h("li", { key: index, class: "tidelore-belief" }, [
            h("p", { key: "by", class: "tidelore-dim" }, t(messages.length ? "why.by" : "node.by", { author: t(`author.${author}`) })),
            messages.map((message, at) => said(message, at)),
            !messages.length &&
              h("dl", { key: "fields", class: "tidelore-facts" }, Object.entries(says).map(([field, value]) => h("div", { key: field }, h("dt", null, ["text", "name"].includes(field) ? t(`node.${field}`) : field), h("dd", null, value === null ? t("node.removed") : plain(value))))),
          ]),
        ),
      ),
    ]);

  /** A message, with a way to it. @param {Message} message @param {number} key */
  function said({ index, role, name, text, quote }, key) {
    const floor = index === null ? -1 : app.floor(index);
    const at = quote ? text.indexOf(quote) : -1;
    return h("figure", { key, class: "tidelore-quote" }, [
      h("figcaption", null, [
        h("b", null, name || t(`role.${role}`)),
        floor < 0 ? h("span", { class: "tidelore-dim" }, t("node.gone")) : h("button", { type: "button", class: "tidelore-link", on: { click: () => desk.jump(floor) } }, [t("node.floor", { floor }), sign("go")]),
      ]),
      h("blockquote", { tabindex: 0 }, at < 0 ? [text || quote] : [text.slice(0, at), h("mark", null, quote), text.slice(at + quote.length)]),
    ]);
  }

  /** @param {MemoryNode} node @param {MemoryEdge[]} edges @param {Map<string, MemoryNode>} byId */
  function connections(node, edges, byId) {
    if (!edges.length) return null;
    const shown = all ? edges : edges.slice(0, EDGES);
    return h("section", { key: "edges", "aria-labelledby": "tidelore-edges-title" }, [
      h("h4", { id: "tidelore-edges-title" }, t("node.edges", { n: edges.length })),
      h(
        "ul",
        { class: "tidelore-list tidelore-edges" },
        shown.map((edge) => {
          const out = edge.from === node.id;
          const other = byId.get(out ? edge.to : edge.from);
          return h("li", { key: edge.id }, [
            h("button", { type: "button", class: "tidelore-edge", on: { click: () => other && openNode(other.id) } }, [
              h("span", { class: "tidelore-dim tidelore-edge-type" }, out ? `${edgeText(app, edge)} →` : `← ${edgeText(app, edge)}`),
              h("span", { class: "tidelore-row-text" }, other?.text ?? ""),
            ]),
          ]);
        }),
      ),
      shown.length < edges.length &&
        button(t("node.all_edges", { n: edges.length }), () => {
          all = true;
          redraw();
        }),
    ]);
  }

  /** The facts of one line, earlier and later. @param {MemoryNode} node @param {import("./memories_data.js").Memories} memories */
  function versions(node, memories) {
    const line = lineOf(node.id, memories.edgesOf);
    if (line.length < 2) return null;
    return h("section", { key: "line", "aria-labelledby": "tidelore-line-title" }, [
      h("h4", { id: "tidelore-line-title" }, t("node.versions")),
      h(
        "ol",
        { class: "tidelore-list" },
        line.map((id) =>
          h("li", { key: id }, [
            id === node.id
              ? h("span", { class: "tidelore-row-text", "aria-current": "true" }, h("b", null, node.text))
              : h("button", { type: "button", class: "tidelore-link", on: { click: () => openNode(id) } }, memories.byId.get(id)?.text ?? ""),
          ]),
        ),
      ),
    ]);
  }

  return {
    /** @param {string} id */
    draw(id) {
      if (edited !== id) {
        edited = id;
        form = null;
        all = false;
      }
      const memories = data.get();
      const node = memories?.byId.get(id) ?? null;
      const marks = node && { pinned: marked(node, "pinned"), private: marked(node, "private") };
      const head = h("div", { key: "head", class: "tidelore-node-head" }, [signButton("back", t("node.back"), back), h("h3", { class: "tidelore-node-title", tabindex: -1 }, node ? node.text : t("node.none"))]);
      const purge = more.purge(id);
      if (!node || !memories) return [head, purge ?? h("p", { key: "none", class: "tidelore-note" }, memories ? t("node.none_why") : t("memories.loading"))];
      if (why.node !== id || why.version !== data.version() || why.stats !== app.status().stats) void ask(id);
      return [
        head,
        h("p", { key: "chips", class: "tidelore-line" }, [
          kindChip(app, node.kind),
          node.state === "current" ? null : h("span", { class: "tidelore-dim" }, stateText(app, node.state)),
          MARKS.filter((mark) => marked(node, mark)).map((mark) => h("span", { key: mark, class: "tidelore-dim tidelore-mark" }, [sign(mark), stateText(app, mark)])),
        ]),
        form
          ? editor(node)
          : h("div", { key: "actions", class: "tidelore-actions" }, [
              button(t("node.edit"), () => {
                form = Object.fromEntries(editable(node).map((name) => [name, valueOf(node, name)]));
                redraw();
              }),
              button(t("node.around"), () => desk.around(node.id)),
              button(t("node.forget"), () => forget(node), { busy }),
              desk.full() ? null : more.buttons(node, marks),
            ]),
        // On a phone they would push the memory itself out of sight.
        form || !desk.full() ? null : h("details", { key: "more", class: "tidelore-more" }, [h("summary", null, t("node.more")), h("div", { class: "tidelore-actions" }, more.buttons(node, marks))]),
        form ? null : more.form(node, memories),
        form ? null : purge,
        fields(node),
        versions(node, memories),
        beliefs(),
        ...story.draw(id),
        connections(node, memories.edgesOf.get(id) ?? [], memories.byId),
      ];
    },
  };
}

/** @param {string} text */
const short = (text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

/**
 * The ids of a fact's line, oldest first: "replaces" leads from the newer to the older.
 * @param {string} id @param {Map<string, MemoryEdge[]>} edgesOf
 */
export function lineOf(id, edgesOf) {
  const line = [id];
  const next = (/** @type {string} */ from, /** @type {boolean} */ older) => {
    const edge = edgesOf.get(from)?.find((each) => each.type === "replaces" && (older ? each.from : each.to) === from);
    return edge && (older ? edge.to : edge.from);
  };
  for (let older = next(id, true); older && !line.includes(older); older = next(older, true)) line.unshift(older);
  for (let newer = next(id, false); newer && !line.includes(newer); newer = next(newer, false)) line.push(newer);
  return line;
}
