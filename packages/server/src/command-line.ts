import { parseArgs } from 'node:util';
import type { OperatorCommand } from './commands/command.ts';
import { operatorWords, parseOperatorCommand } from './commands/parse-operator-command.ts';
import { parseWorkerCommand, type WorkerCommand } from './commands/worker-command.ts';

export const help = `patchbay: typed functions and every language model behind one API

Usage: patchbay [--config <file>]                     Start the server
       patchbay worker [--host <address>] [--port <port>]
                                                      Do what waits in the queue, and serve no API but /healthz, /readyz
       patchbay keys create --name <text> --scope <scope>... [--expires <time>] [--ip <address>]...
       patchbay keys list
       patchbay keys rotate <id> [--grace <seconds>]  Another secret; the one before lasts a day unless told otherwise
       patchbay keys revoke <id>
       patchbay functions promote <name>              Store a function of a name that was called although none has it
       patchbay functions explain <name>              What a call of the name would use, each value with its source
       patchbay types [--out <file>]                  Write the types of the functions, for @patchbay/client
       patchbay audit verify                          Check that nobody tampered with the audit log
       patchbay secrets rewrap                        Seal stored secrets under the root secret of today

The commands work on the storage of the config, also while servers run on it. A secret goes to standard output, once.

  --tenant <tenant>    Whose keys and functions, default: default; whose audit log, default: all
  --json               Results as JSON, one to a line
  -c, --config <file>  Config file. Default: $PATCHBAY_CONFIG, or patchbay.config.* in this folder, or built-in defaults
  -h, --help           Show this text
  -v, --version        Show the version

Environment:
  HOST, PORT               Where to listen; override the config. Default: 127.0.0.1 and 4810
  PATCHBAY_DATA            Folder for the database and the secret, with the built-in defaults. Default: ./data
  PATCHBAY_BOOTSTRAP_KEY   Admin key of at least 32 characters, used instead of one that is made at the first start
`;

/** What a command line asks for. */
export type Command =
  | { readonly name: 'help' }
  | { readonly name: 'version' }
  | { readonly name: 'operator'; readonly command: OperatorCommand }
  | { readonly name: 'worker'; readonly command: WorkerCommand }
  | { readonly name: 'start'; readonly config: string | undefined };

/** @throws TypeError with a message for people. */
export function parseCommandLine(args: readonly string[], env: NodeJS.ProcessEnv): Command {
  if (operatorWords.has(args[0] ?? '')) {
    const asksForHelp = args.includes('--help') || args.includes('-h');
    return asksForHelp ? { name: 'help' } : { name: 'operator', command: parseOperatorCommand(args, env) };
  }
  if (args[0] === 'worker') {
    const command = parseWorkerCommand(args.slice(1), env);
    return command === undefined ? { name: 'help' } : { name: 'worker', command };
  }
  const { values } = parseArgs({
    args: [...args],
    options: {
      config: { type: 'string', short: 'c' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  });
  if (values.help) return { name: 'help' };
  if (values.version) return { name: 'version' };
  return { name: 'start', config: values.config ?? (env['PATCHBAY_CONFIG'] || undefined) };
}
