import type { Command } from 'commander';

/** One command line for each command, shown by its `--help` and on the reference page. */
const examples: Readonly<Record<string, string>> = {
  serve: '--config patchbay.config.yaml --port 8080',
  dev: '--dir functions',
  worker: '--config patchbay.config.yaml --port 4811',
  init: 'my-project',
  doctor: '--config patchbay.config.yaml',
  'config print': '--config patchbay.config.yaml',
  'config validate': '--config patchbay.config.yaml',
  'config docs': '--config patchbay.config.yaml > options.md',
  'config schema': '> patchbay.schema.json',
  'functions list': '--json',
  'functions get': 'summarizeText',
  'functions run': `summarizeText --input '{"text":"One. Two.","maxPoints":1}'`,
  'functions push': 'summarizeText --dry-run',
  'functions pull': 'summarizeText --dir functions',
  'functions diff': 'summarizeText',
  'functions test': 'summarizeText',
  'functions logs': 'summarizeText',
  'functions set': 'summarizeText model=openai/gpt-4.1 temperature=0.2 prompt=@prompt.md',
  'functions delete': 'summarizeText --yes',
  'functions promote': 'summarizeText',
  'functions explain': 'summarizeText',
  'models list': '--json',
  'models get': 'openai/gpt-4.1',
  'models explain': '--optimize cost --capability function_calling',
  'models test': 'openai/gpt-4.1',
  chat: '"Write a haiku about ports" --model openai/gpt-4.1',
  embed: '@article.txt --model openai/text-embedding-3-small',
  usage: '--from 2026-01-01 --to 2026-02-01 --group-by model',
  openapi: '> openapi.json',
  'webhooks list': '--json',
  'webhooks create': 'https://example.com/hooks --event execution.failed',
  'webhooks update': 'webhook_01k0d9v0pe4x2h5n6q7r8s9t0v --event execution.failed --event gateway.failed',
  'webhooks delete': 'webhook_01k0d9v0pe4x2h5n6q7r8s9t0v --yes',
  'webhooks rotate-secret': 'webhook_01k0d9v0pe4x2h5n6q7r8s9t0v',
  'webhooks get': 'webhook_01k0d9v0pe4x2h5n6q7r8s9t0v',
  'webhooks deliveries': 'webhook_01k0d9v0pe4x2h5n6q7r8s9t0v --state failed',
  'webhooks test': 'webhook_01k0d9v0pe4x2h5n6q7r8s9t0v',
  'webhooks replay': 'webhook_01k0d9v0pe4x2h5n6q7r8s9t0v --since 2026-01-31T12:00:00Z',
  'keys create': '--name website --scope functions:execute --budget 5/day',
  'keys list': '--tenant acme',
  'keys rotate': 'key_01k0d9v0pe4x2h5n6q7r8s9t0v --grace 3600',
  'keys revoke': 'key_01k0d9v0pe4x2h5n6q7r8s9t0v --yes',
  'audit verify': '--tenant acme',
  'secrets rewrap': '--config patchbay.config.yaml',
  types: '--out src/functions.d.ts',
  'migrate status': '--config patchbay.config.yaml',
  'migrate up': '--config patchbay.config.yaml',
  export: 'functions.jsonl --tenant acme',
  import: 'functions.jsonl --skip-present',
  backup: 'backup.jsonl',
  restore: 'backup.jsonl',
  'plugin new': 'provider acme',
  'plugin check': './patchbay-provider-acme',
  'plugin list': '--json',
};

/** The example of a command, such as `patchbay keys list --tenant acme`. */
export function exampleOf(path: string): string | undefined {
  const parameters = examples[path];
  return parameters === undefined ? undefined : `patchbay ${path} ${parameters}`;
}

/** Append its example to the help of every command that does something itself. */
export function addExamples(command: Command, path: readonly string[] = []): void {
  for (const each of command.commands) {
    const own = [...path, each.name()];
    if (each.commands.length > 0) addExamples(each, own);
    const example = exampleOf(own.join(' '));
    if (example !== undefined) each.addHelpText('after', `\nExample:\n  ${example}`);
  }
}
