// The types of the package that graphology.mjs was made from.
export { default as Graph } from "graphology";
