// The vectors port in the worker: one matrix a model, filled by the page's embedding model and kept where `rows` keeps it.
import { openModule } from "./local.js";
import { Matrix, normalised, rowsOf } from "./matrix.js";
import { reason } from "./ports.js";
import { sha256Plain } from "./sha256.js";

/**
 * @typedef {import("./local.js").Tools} Tools
 * @typedef {{name: string, dimension: number, scale: number, floor: number}} Model `dimension` 0: as the vectors come
 * @typedef {{node: string, hash: string, vector: ArrayBuffer}} Row a vector of 32-bit floats, of length 1
 *
 * @typedef {object} Rows where vectors outlive the worker
 * @property {(model: string) => Promise<Row[]>} load
 * @property {(model: string, rows: Row[]) => Promise<void>} put
 * @property {(model: string, nodes: string[]) => Promise<void>} drop
 */

const AT_ONCE = 64;
const QUERIES = 64;
const HASH_DIGITS = 24;

/** What is known of one model's vectors. */
class Shelf {
  model;
  matrix;
  /** @type {Map<string, string>} */
  hashes = new Map();
  // The texts last given, so that a text is hashed once and not at every `put`.
  /** @type {Map<string, string>} */
  texts = new Map();
  /** @type {Map<string, Float32Array>} */
  queries = new Map();
  // One `put` after the other; a model that hangs holds up no other model.
  /** @type {Promise<any>} */
  turn = Promise.resolve();
  // Since the `put` under way began: a vector that comes for one of these is not kept.
  /** @type {Set<string>} */
  forgotten = new Set();
  /** @type {Promise<void>} */
  loaded;

  /**
   * @param {Model} model
   * @param {Rows | undefined} rows
   * @param {Tools["report"]} report
   */
  constructor(model, rows, report) {
    this.model = model;
    this.matrix = new Matrix(model.dimension);
    this.loaded = rows ? this.#load(rows, report) : Promise.resolve();
  }

  /**
   * @param {Rows} rows
   * @param {Tools["report"]} report
   */
  async #load(rows, report) {
    try {
      const found = await rows.load(this.model.name);
      const odd = [];
      for (const { node, hash, vector } of found) {
        const row = new Float32Array(vector);
        // Vectors of another size are of another model that had the same name.
        if (row.length === (this.matrix.dimension || row.length)) this.add(node, hash, row);
        else odd.push(node);
      }
      if (odd.length) await rows.drop(this.model.name, odd);
    } catch (error) {
      report({ step: "vectors", outcome: "unread", detail: reason(error) });
    }
  }

  /**
   * @param {string} node
   * @param {string} hash
   * @param {Float32Array} row
   */
  add(node, hash, row) {
    this.matrix.set(node, row);
    this.hashes.set(node, hash);
  }

  /** @param {string} node */
  delete(node) {
    this.matrix.delete(node);
    this.hashes.delete(node);
    this.texts.delete(node);
  }

  /** For a model that names no size and now gives another one: it is another model under the same name. */
  clear() {
    this.matrix = new Matrix(0);
    for (const known of [this.hashes, this.texts, this.queries]) known.clear();
  }

  /**
   * Whether the node has a vector of just this text.
   * @param {string} node
   * @param {string} text
   */
  has(node, text) {
    if (!this.hashes.has(node)) return false;
    if (this.texts.get(node) === text) return true;
    if (this.hashes.get(node) !== hashOf(text)) return false;
    this.texts.set(node, text);
    return true;
  }
}

/** See `tidelore.engine.ports.Vectors`. */
export class WorkerVectors {
  #tools;
  #rows;
  /** @type {Shelf | undefined} */
  #shelf;
  #unsaved = false;

  /**
   * @param {Tools} tools
   * @param {Rows} [rows] without them vectors end with the worker
   */
  constructor(tools, rows) {
    this.#tools = tools;
    this.#rows = rows;
  }

  /**
   * Another embedding model, or none. Vectors of one are never compared with those of another.
   * @param {Model | null} model
   */
  use(model) {
    const before = this.#shelf?.model;
    if (model && before?.name === model.name && before.dimension === model.dimension) return;
    this.#shelf = model ? new Shelf(model, this.#rows, this.#tools.report) : undefined;
  }

  /**
   * Embeds the texts of nodes that have no vector of just this text; blank texts have none. What was embedded before a failure stays.
   * @param {Record<string, string>} texts by node
   * @param {AbortSignal} signal
   */
  async put(texts, signal) {
    const shelf = this.#current();
    const work = shelf.turn.then(() => {
      shelf.forgotten.clear();
      return this.#put(shelf, texts, signal);
    });
    shelf.turn = work.catch(() => undefined);
    return work;
  }

  /**
   * Removes the vectors of these nodes for good; unknown ones are nothing. It does not wait for the embedding model.
   * @param {string[]} nodes
   */
  async forget(nodes) {
    const shelf = this.#current();
    await shelf.loaded;
    for (const node of nodes) {
      shelf.delete(node);
      shelf.forgotten.add(node);
    }
    // What failed here would come back at the next start.
    await this.#rows?.drop(shelf.model.name, nodes);
  }

  /**
   * The k nearest nodes with their cosine, best first, equal ones by id.
   * @param {string} query
   * @param {number} k
   * @param {string[] | null} allowed
   * @param {AbortSignal} signal
   * @returns {Promise<[string, number][]>}
   */
  async score(query, k, allowed, signal) {
    const shelf = this.#current();
    await shelf.loaded;
    if (k < 1 || !query.trim() || !shelf.matrix.nodes.length) return [];
    const vector = await this.#query(shelf, query, signal);
    const { matrix } = shelf; // now, since vectors of another size make the earlier ones void
    const places = allowed ? [...new Set(allowed)].flatMap((node) => matrix.places.get(node) ?? []) : matrix.nodes.keys();
    /** @type {[string, number][]} */
    const scored = [];
    for (const place of places) scored.push([matrix.nodes[place], matrix.cosine(place, vector)]);
    return scored.sort(([one, near], [other, far]) => far - near || (one < other ? -1 : 1)).slice(0, k);
  }

  /**
   * Cosines between these nodes; one without a vector is like itself (1) and like no other (0).
   * @param {string[]} nodes
   */
  async gram(nodes) {
    const shelf = this.#current();
    await shelf.loaded;
    const { matrix } = shelf;
    const places = nodes.map((node) => matrix.places.get(node));
    return places.map((place, row) =>
      places.map((other, column) => {
        if (row === column) return 1;
        return place === undefined || other === undefined ? 0 : matrix.cosine(other, matrix.row(place));
      }),
    );
  }

  #current() {
    if (!this.#shelf) throw failure("model_unreachable", "There is no embedding model.", "Choose one in the settings.");
    return this.#shelf;
  }

  /**
   * @param {Shelf} shelf
   * @param {Record<string, string>} texts
   * @param {AbortSignal} signal
   * @param {boolean} [again] after vectors of another size have made all earlier ones void
   * @returns {Promise<void>}
   */
  async #put(shelf, texts, signal, again = false) {
    await shelf.loaded;
    /** @type {Map<string, string[]>} */
    const wanted = new Map();
    /** @type {string[]} */
    const stale = [];
    const { dimension } = shelf.matrix;
    for (const [node, text] of Object.entries(texts)) {
      if (shelf.has(node, text)) continue;
      if (shelf.hashes.has(node)) stale.push(node);
      shelf.delete(node);
      if (text.trim()) wanted.set(text, [...(wanted.get(text) ?? []), node]);
    }
    if (stale.length) await this.#save(() => this.#rows?.drop(shelf.model.name, stale));
    const order = [...wanted.keys()];
    let empty = 0;
    for (let start = 0; start < order.length; start += AT_ONCE) {
      const batch = order.slice(start, start + AT_ONCE).filter((text) => wanted.get(text)?.some((node) => !shelf.forgotten.has(node)));
      if (!batch.length) continue;
      const vectors = await this.#embed(shelf, batch, "passage", signal);
      /** @type {Row[]} */
      const rows = [];
      batch.forEach((text, at) => {
        const vector = vectors[at];
        if (!vector) {
          empty++;
          return;
        }
        const hash = hashOf(text);
        for (const node of wanted.get(text) ?? []) {
          if (shelf.forgotten.has(node)) continue;
          shelf.add(node, hash, vector);
          shelf.texts.set(node, text);
          rows.push({ node, hash, vector: /** @type {ArrayBuffer} */ (vector.slice().buffer) });
        }
      });
      await this.#save(() => this.#rows?.put(shelf.model.name, rows));
    }
    if (dimension && dimension !== shelf.matrix.dimension && !again) return this.#put(shelf, texts, signal, true);
    if (empty) throw failure("model_answer", `The embedding model gave a vector of nothing for ${empty} of ${order.length} texts.`, "Check the embedding model.");
  }

  /**
   * @param {Shelf} shelf
   * @param {string} query
   * @param {AbortSignal} signal
   */
  async #query(shelf, query, signal) {
    const { queries } = shelf;
    const known = queries.get(query);
    if (known) {
      // To the end: the first of the map is the one not asked for longest.
      queries.delete(query);
      queries.set(query, known);
      return known;
    }
    const [vector] = await this.#embed(shelf, [query], "query", signal);
    if (!vector) throw failure("model_answer", "The embedding model gave a vector of nothing.", "Check the embedding model.");
    queries.set(query, vector);
    if (queries.size > QUERIES) queries.delete(/** @type {string} */ (queries.keys().next().value));
    return vector;
  }

  /**
   * A row of length 1 for each text, nothing for a vector of nothing.
   * @param {Shelf} shelf
   * @param {string[]} texts
   * @param {"passage" | "query"} kind
   * @param {AbortSignal} signal
   */
  async #embed(shelf, texts, kind, signal) {
    const answer = await this.#tools.ask("embed", "embed", [{ texts, kind }], signal);
    const vectors = rowsOf(answer, texts.length);
    const dimension = vectors?.[0].length;
    if (!vectors || !dimension || vectors.some((row) => row.length !== dimension)) {
      throw failure("model_answer", "The embedding model did not give one vector for each text.", "Check the embedding model.");
    }
    const expected = shelf.matrix.dimension;
    if (expected && dimension !== expected) {
      if (!shelf.model.dimension) {
        const nodes = [...shelf.matrix.nodes];
        shelf.clear();
        await this.#save(() => this.#rows?.drop(shelf.model.name, nodes));
        return vectors.map(normalised);
      }
      throw failure("model_answer", `The embedding model gave vectors of ${dimension} numbers, not ${expected}.`, "Choose the embedding model again.");
    }
    return vectors.map(normalised);
  }

  /**
   * Vectors are derived, so a disk that is full costs time later and nothing else; it is said once.
   * @param {() => Promise<void> | undefined} work
   */
  async #save(work) {
    try {
      await work();
    } catch (error) {
      if (!this.#unsaved) this.#tools.report({ step: "vectors", outcome: "unsaved", detail: reason(error) });
      this.#unsaved = true;
    }
  }
}

/** @param {string} text */
const hashOf = (text) => sha256Plain(new TextEncoder().encode(text)).slice(0, HASH_DIGITS);

/**
 * @param {string} code of the engine
 * @param {string} message
 * @param {string} hint
 */
const failure = (code, message, hint) => Object.assign(new Error(message), { code, hint });

/**
 * The vectors port of a worker; the page's `embed` port is asked for vectors.
 * @param {{rows?: import("./local.js").Module}} options
 * @param {Tools} tools
 */
export async function openPort({ rows }, tools) {
  let opened;
  try {
    opened = rows && (await openModule(rows, tools));
  } catch (error) {
    tools.report({ step: "vectors", outcome: "memory", detail: reason(error) });
  }
  return new WorkerVectors(tools, opened);
}
