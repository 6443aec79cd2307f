/** Kinds of operations that have a limit of their own, beside the one on all requests. */
export type OperationClass = 'execute' | 'model';
