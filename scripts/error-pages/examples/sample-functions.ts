/** Returns what it gets. */
export const echo = {
  name: 'Echo',
  description: '',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  code: 'export default (input) => input',
};

/** The same without a name, as `POST /functions/test` takes it. */
export const nameless = { input: echo.input, output: echo.output, code: echo.code };

const object = { type: 'object' };

/** A function of the given code, which takes and returns any object. */
export const codeOf = (name: string, code: string) => ({ name, input: object, output: object, code });
