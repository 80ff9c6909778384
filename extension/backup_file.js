// The file of a backup: lines, gzipped, as `tidelore backup` writes them.

/** @param {string[]} lines @returns {Promise<Blob>} */
export async function packed(lines) {
  const text = new Blob(lines.map((line) => `${line}\n`));
  return new Response(text.stream().pipeThrough(new CompressionStream("gzip"))).blob();
}

/** The lines of a file, whether it is packed or a tool has unpacked it on the way. @param {Blob} file @returns {Promise<string[]>} */
export async function unpacked(file) {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const packs = head[0] === 0x1f && head[1] === 0x8b;
  const text = packs ? await new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).text() : await file.text();
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
