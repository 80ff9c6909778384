// The types of the package that sigma.mjs was made from.
export { default as Sigma } from "sigma";
export { NodeCircleProgram } from "sigma/rendering";
