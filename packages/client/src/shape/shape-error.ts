/** A declared output shape that means nothing. Thrown where it is declared, before any request. */
export class ShapeError extends TypeError {
  override readonly name = 'ShapeError';

  /** @param path Where, such as `leanCanvas.problem[]`: the function, then the place in its shape. */
  constructor(path: string, problem: string) {
    super(`output shape at ${path}: ${problem}`);
  }
}
