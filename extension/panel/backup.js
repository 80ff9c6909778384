// All of a store in one file, and back by union: nothing that is here is removed or replaced.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { attempt } from "../ui/view.js";
import { packed, unpacked } from "../backup_file.js";
import { when } from "./changes.js";
import { download } from "./files.js";
import { filePicker } from "./parts.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {{name: string, lines: string[], records: number, chats: number, written: number}} Checked
 */

const PIECE = 1_000_000;
const MOST_BYTES = 512 << 20;

/** @param {Desk} desk @param {() => void} redraw */
export function backupSection({ app, data, say }, redraw) {
  const { t } = app.text;
  /** @type {{text: string, done: number, of: number} | null} */
  let going = null;
  let stopped = false;
  /** @type {Checked | null} a file that is whole */
  let file = null;

  /** @param {string} text @param {() => Promise<void>} run */
  async function during(text, run) {
    if (going) return;
    going = { text, done: 0, of: 0 };
    stopped = false;
    redraw();
    await attempt(app, run);
    going = null;
    redraw();
  }

  /** @param {number} done @param {number} of 0 where nobody knows */
  function told(done, of) {
    if (going) going = { ...going, done, of };
    redraw();
  }

  const save = () =>
    during(t("backup.saving"), async () => {
      const saved = await saveBackup(app, (lines) => (told(lines, 0), !stopped));
      if (saved) say(saved);
    });

  /** Lets each piece of a file through a method. @param {string} method @param {string[]} lines @param {(found: any, last: boolean) => void} take */
  async function through(method, lines, take) {
    let at = "";
    for (let from = 0; from < lines.length && !stopped; ) {
      let to = from;
      for (let size = 0; to < lines.length && size < PIECE; to++) size += lines[to]?.length ?? 0;
      const found = await app.call(method, { lines: lines.slice(from, to), at });
      at = found.at;
      from = to;
      take(found, from === lines.length);
      told(from, lines.length);
    }
  }

  /** @param {any} event */
  function choose({ target }) {
    /** @type {File | undefined} */
    const chosen = target.files?.[0];
    file = null;
    if (!chosen) return;
    // A file that was broken may be chosen again once it is mended.
    target.value = "";
    void during(t("backup.checking"), async () => {
      if (chosen.size > MOST_BYTES) throw new Error(t("files.too_large"));
      const lines = await unpacked(chosen).catch(() => {
        throw new Error(t("backup.broken"));
      });
      let whole = false;
      const found = { name: chosen.name, lines, records: 0, chats: 0, written: 0 };
      await through("backup.check", lines, (each, last) => {
        found.records += each.records;
        found.chats += each.chats;
        found.written ||= each.written;
        whole = each.whole && last;
      });
      if (stopped) return;
      if (!whole) throw new Error(t("backup.broken"));
      file = found;
    });
  }

  /** @param {Checked} from */
  const restore = ({ lines }) =>
    during(t("backup.restoring"), async () => {
      const done = { new: 0, chats: 0, kept: 0, settings: 0 };
      await through("backup.restore", lines, (each) => {
        done.new += each.new;
        done.chats += each.chats;
        done.kept += each.kept;
        done.settings += each.settings;
      });
      // Half of it is in then, and the rest comes with the next time: nothing is twice.
      say(t(stopped ? "backup.stopped" : "backup.restored", { n: done.new, chats: done.chats, kept: done.kept }));
      if (!stopped) file = null;
      await app.restored();
      data.renew();
    });

  /** @param {Checked} found */
  const preview = (found) =>
    h("div", { key: "checked", class: "tidelore-result", role: "status" }, [
      h("p", { key: "name", class: "tidelore-row-text" }, h("b", null, found.name)),
      h("p", { key: "counts" }, t("backup.holds", { n: found.records, chats: found.chats, when: when(app, found.written) })),
      h("p", { key: "note", class: "tidelore-note" }, t("backup.union")),
      h("div", { key: "actions", class: "tidelore-actions" }, [
        button(t("backup.restore"), () => restore(found), { busy: going !== null, class: "tidelore-main" }),
        button(t("node.cancel"), () => {
          file = null;
          redraw();
        }),
      ]),
    ]);

  return () =>
    h("section", { key: "backup", "aria-labelledby": "tidelore-backup-title" }, [
      h("h4", { id: "tidelore-backup-title" }, t("backup.title")),
      h("p", { key: "what", class: "tidelore-note" }, t("backup.what")),
      h("div", { key: "save", class: "tidelore-actions" }, button(t("backup.save"), save, { busy: going !== null })),
      h("div", { key: "in", class: "tidelore-field" }, [
        h("label", { for: "tidelore-backup" }, t("backup.choose")),
        filePicker(app, { id: "tidelore-backup", "aria-describedby": "tidelore-backup-hint", on: { change: choose } }),
        h("small", { id: "tidelore-backup-hint" }, t("backup.hint")),
      ]),
      going &&
        h("div", { key: "going", class: "tidelore-line" }, [
          h("span", { key: "text", class: "tidelore-grow", role: "status" }, going.text),
          h("progress", { key: "progress", "aria-label": going.text, max: going.of || 1, value: going.of ? going.done : undefined }),
          button(t("jobs.stop"), () => void (stopped = true), { key: "stop", "aria-label": t("jobs.stop_it", { job: going.text }) }),
        ]),
      file && preview(file),
    ]);
}

/**
 * Gives a backup to the browser as a file.
 * @param {import("../types.js").App} app @param {(lines: number) => boolean} [goOn] told how many lines there are; false stops it
 * @returns {Promise<string>} what was saved, in words; "" where it was stopped
 */
export async function saveBackup(app, goOn = () => true) {
  /** @type {string[]} */
  const lines = [];
  let at = "";
  do {
    const piece = await app.call("backup.read", { at, limit_bytes: PIECE });
    lines.push(...piece.lines);
    at = piece.at;
    if (!goOn(lines.length)) return "";
  } while (at);
  const whole = await packed(lines);
  const name = `tidelore-${new Date().toISOString().slice(0, 10)}.backup.gz`;
  download(name, whole);
  return app.text.t("backup.saved", { name, n: lines.length, size: sizeOf(app, whole.size) });
}

/** @param {import("../types.js").App} app @param {number} bytes */
function sizeOf({ text: { language } }, bytes) {
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, "KB"] : [bytes / 1_000_000, "MB"];
  return `${value.toLocaleString(language, { maximumFractionDigits: 1 })} ${unit}`;
}
