import { type FunctionSource, PatchbayError, type RequestContext } from '@patchbay/core/plugin';
import { encodeArtifact } from '../artifact.ts';
import type { Fault } from '../translate/fault.ts';
import type { Translation } from '../translate/translate.ts';
import { createTranslator } from './translator.ts';

const MAX_CODE_BYTES = 262_144;
const MAX_WAITING = 64;

/** Everything that happens to a source when a function is saved. */
export class SourcePreparer {
  readonly #translator = createTranslator();

  /** @throws PatchbayError `code_invalid`, `overloaded`. */
  async prepare(source: FunctionSource, _context: RequestContext): Promise<string> {
    const { code } = source;
    if (Buffer.byteLength(code) > MAX_CODE_BYTES) {
      throw codeInvalid([{ code: 'too_large', detail: `The code has more than ${MAX_CODE_BYTES} bytes` }]);
    }
    if (code.trim() === '') throw codeInvalid([{ code: 'no_function', detail: 'The code is empty' }]);
    const { language, module, insertedLine, mappings } = await this.#translate(code);
    return encodeArtifact({
      module,
      language,
      ...(insertedLine === undefined ? {} : { insertedLine }),
      ...(mappings === undefined ? {} : { mappings }),
    });
  }

  end(): void {
    this.#translator.end();
  }

  async #translate(code: string): Promise<Translation> {
    if (this.#translator.waiting >= MAX_WAITING) {
      throw new PatchbayError('overloaded', 'Too many functions are being saved', { retryAfter: 1 });
    }
    const answer = await this.#translator.ask(code);
    if (answer.kind !== 'answer') {
      throw codeInvalid([
        { code: 'too_complex', detail: 'The code nests too deeply, or is too complex, to be parsed' },
      ]);
    }
    if (answer.value.kind === 'faults') throw codeInvalid(answer.value.faults);
    return answer.value;
  }
}

function codeInvalid(faults: readonly Fault[]): PatchbayError {
  const [first] = faults;
  const place = first?.line === undefined ? '' : ` (line ${first.line}, column ${first.column})`;
  return new PatchbayError('code_invalid', `${first?.detail ?? 'The code cannot be used'}${place}`, {
    errors: faults.map((fault) => ({ pointer: '/code', ...fault })),
  });
}
