/** Shows an intersection as one object in an editor. */
export type Simplify<T> = { [K in keyof T]: T[K] } & {};
