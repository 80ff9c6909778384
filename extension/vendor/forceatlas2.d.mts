// One step of the layout, on matrices of 10 numbers a node and 3 an edge; both are changed in place.
export function iterate(settings: Record<string, number | boolean>, nodes: Float32Array, edges: Float32Array): void;
