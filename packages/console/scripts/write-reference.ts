// `npm run build:reference`: the style and the script of the API reference, which `@patchbay/http` ships.
import { writeFile } from 'node:fs/promises';
import { buildReference, referenceFile } from './build-reference.ts';

await writeFile(referenceFile, await buildReference());
