// Runs examples/<name>/src/<name>.ts on the Node that the project brings: npm run example -- first-function
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const examples = readdirSync(new URL('../examples', import.meta.url));
const name = process.argv[2];
if (!examples.includes(name)) {
  console.error(`usage: npm run example -- <${examples.join(' | ')}>`);
  process.exit(1);
}
const file = new URL(`../examples/${name}/src/${name}.ts`, import.meta.url);
// As if it had been started itself.
process.argv = [process.argv[0], fileURLToPath(file), ...process.argv.slice(3)];
await import(file.href);
