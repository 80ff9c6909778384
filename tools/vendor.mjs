// `make vendor`: brings what extension/vendor/vendor.json names over from node_modules, and writes versions and hashes into that table. A file is
// copied from its `source`, or bundled into a single module from the line of code in `bundle`, with whatever that needs listed in `holds`.
// `node tools/vendor.mjs FOLDER` makes all of it in another folder, to compare.
import { createHash } from "node:crypto";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = resolve(fileURLToPath(import.meta.url), "../..");
const VENDOR = join(ROOT, "extension/vendor");
const OUT = process.argv[2] ? resolve(process.argv[2]) : VENDOR;
const FREE = ["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC"];

/** @param {string} name @returns {Promise<{version: string, license: string}>} */
const about = async (name) => JSON.parse(await readFile(join(ROOT, "node_modules", name, "package.json"), "utf8"));

/**
 * @param {string} code @param {string} target
 * @returns {Promise<string[]>} names of the packages in the bundle
 */
async function bundle(code, target) {
  const { metafile } = await build({
    stdin: { contents: code, resolveDir: ROOT },
    outfile: target,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const names = Object.keys(metafile.inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

const table = JSON.parse(await readFile(join(VENDOR, "vendor.json"), "utf8"));
for (const entry of table) {
  const { version, license } = await about(entry.name);
  if (license !== entry.licence) throw new Error(`${entry.name} ${version} is under ${license}, not ${entry.licence}`);
  entry.version = version;
  for (const file of entry.files) {
    const target = join(OUT, file.file);
    if (file.bundle) {
      file.holds = [];
      for (const name of await bundle(file.bundle, target)) {
        const found = await about(name);
        if (!FREE.includes(found.license)) throw new Error(`${name} ${found.version} is under ${found.license}`);
        file.holds.push(`${name} ${found.version} ${found.license}`);
      }
    } else await copyFile(join(ROOT, "node_modules", entry.name, file.source), target);
    file.sha256 = createHash("sha256").update(await readFile(target)).digest("hex");
  }
  console.log(`${entry.name} ${version}: ${entry.files.map((/** @type {{file: string}} */ { file }) => file).join(", ")}`);
}
await writeFile(join(OUT, "vendor.json"), `${JSON.stringify(table, null, 2)}\n`);
