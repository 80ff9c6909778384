// The types of the package that dexie.mjs was copied from.
export * from "dexie";
export { default } from "dexie";
