// `make vendor`: copies what extension/vendor/vendor.json names out of node_modules, and writes versions and hashes into that table.
import { createHash } from "node:crypto";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = resolve(fileURLToPath(import.meta.url), "../..");
const VENDOR = join(ROOT, "extension/vendor");
const TABLE = join(VENDOR, "vendor.json");

const table = JSON.parse(await readFile(TABLE, "utf8"));
for (const entry of table) {
  const from = join(ROOT, "node_modules", entry.name);
  const { version, license } = JSON.parse(await readFile(join(from, "package.json"), "utf8"));
  if (license !== entry.licence) throw new Error(`${entry.name} ${version} is under ${license}, not ${entry.licence}`);
  entry.version = version;
  for (const file of entry.files) {
    await copyFile(join(from, file.source), join(VENDOR, file.file));
    file.sha256 = createHash("sha256").update(await readFile(join(VENDOR, file.file))).digest("hex");
  }
  console.log(`${entry.name} ${version}: ${entry.files.map(({ file }) => file).join(", ")}`);
}
await writeFile(TABLE, `${JSON.stringify(table, null, 2)}\n`);
