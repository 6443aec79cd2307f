// Runs examples/<name>/src/<name>.ts on the Node that the project brings: npm run example -- first-function
import { readdirSync } from 'node:fs';

const examples = readdirSync(new URL('../examples', import.meta.url));
const name = process.argv[2];
if (!examples.includes(name)) {
  console.error(`usage: npm run example -- <${examples.join(' | ')}>`);
  process.exit(1);
}
await import(`../examples/${name}/src/${name}.ts`);
