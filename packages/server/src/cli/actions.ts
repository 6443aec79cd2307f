import type { CliContext } from './cli-context.ts';

/** An action whose options and arguments are those of its entry in `commands.json`. */
type AnyAction = (context: CliContext, options: never, ...given: never[]) => Promise<number | undefined>;

const server = () => import('../server-actions.ts');
const config = () => import('./config-actions.ts');
const functions = () => import('./functions/function-actions.ts');
const push = () => import('./functions/push.ts');
const byName = () => import('./functions/calls-by-name.ts');
const schedules = () => import('./functions/schedule-actions.ts');
const deadLetters = () => import('./functions/dead-letter-actions.ts');
const experiments = () => import('./functions/experiment-actions.ts');
const datasets = () => import('./functions/dataset-actions.ts');
const remote = () => import('./remote-actions.ts');
const webhooks = () => import('./webhook-actions.ts');
const keys = () => import('./keys-actions.ts');
const storage = () => import('./storage-actions.ts');
const plugins = () => import('./plugin-actions.ts');

/** The work of each command, by its path; imported when it is needed, so that commands start fast. */
export const actions: Readonly<Record<string, () => Promise<AnyAction>>> = {
  serve: async () => (await server()).serve,
  dev: async () => (await server()).develop,
  worker: async () => (await server()).work,
  init: async () => (await import('./init.ts')).init,
  doctor: async () => (await import('./doctor.ts')).doctor,
  'config print': async () => (await config()).print,
  'config validate': async () => (await config()).validate,
  'config docs': async () => (await config()).docs,
  'config schema': async () => (await config()).schema,
  'functions list': async () => (await functions()).list,
  'functions get': async () => (await functions()).get,
  'functions run': async () => (await import('./functions/run.ts')).run,
  'functions push': async () => (await push()).push,
  'functions pull': async () => (await import('./functions/pull.ts')).pull,
  'functions diff': async () => (await push()).diff,
  'functions audit': async () => (await import('./functions/bundles/audit.ts')).audit,
  'functions test': async () => (await import('./functions/test.ts')).test,
  'functions logs': async () => (await import('./functions/logs.ts')).logs,
  'functions set': async () => (await functions()).set,
  'functions delete': async () => (await functions()).remove,
  'functions promote': async () => (await byName()).promote,
  'functions explain': async () => (await byName()).explain,
  'experiments start': async () => (await experiments()).start,
  'experiments show': async () => (await experiments()).show,
  'experiments stop': async () => (await experiments()).stop,
  'experiments rollback': async () => (await experiments()).rollBack,
  'schedules list': async () => (await schedules()).list,
  'schedules set': async () => (await schedules()).set,
  'schedules next': async () => (await schedules()).next,
  'schedules history': async () => (await schedules()).history,
  'schedules run': async () => (await schedules()).run,
  'schedules pause': async () => (await schedules()).pause,
  'schedules resume': async () => (await schedules()).resume,
  'schedules remove': async () => (await schedules()).remove,
  'dead-letters list': async () => (await deadLetters()).list,
  'dead-letters rerun': async () => (await deadLetters()).rerun,
  'dead-letters remove': async () => (await deadLetters()).remove,
  'dataset list': async () => (await datasets()).list,
  'dataset export': async () => (await datasets()).exportExamples,
  'dataset import': async () => (await datasets()).importExamples,
  'dataset remove': async () => (await datasets()).remove,
  eval: async () => (await import('./eval/evaluate.ts')).evaluate,
  'models list': async () => (await remote()).list,
  'models get': async () => (await remote()).get,
  'models explain': async () => (await remote()).explain,
  'models test': async () => (await remote()).test,
  'router explain': async () => (await import('./router/explain.ts')).explain,
  'router replay': async () => (await import('./router/replay.ts')).replay,
  'calls list': async () => (await import('./call-actions.ts')).list,
  'calls get': async () => (await import('./call-actions.ts')).get,
  chat: async () => (await import('./chat.ts')).chat,
  embed: async () => (await remote()).embed,
  connect: async () => (await import('./client-setup/connect.ts')).connect,
  mcp: async () => (await import('./mcp.ts')).mcp,
  usage: async () => (await remote()).usage,
  'feedback list': async () => (await import('./feedback-actions.ts')).list,
  openapi: async () => (await remote()).openapi,
  'webhooks list': async () => (await webhooks()).list,
  'webhooks create': async () => (await webhooks()).create,
  'webhooks update': async () => (await webhooks()).update,
  'webhooks delete': async () => (await webhooks()).remove,
  'webhooks rotate-secret': async () => (await webhooks()).rotateSecret,
  'webhooks get': async () => (await webhooks()).get,
  'webhooks deliveries': async () => (await webhooks()).deliveries,
  'webhooks test': async () => (await webhooks()).test,
  'webhooks replay': async () => (await webhooks()).replay,
  'keys create': async () => (await keys()).create,
  'keys list': async () => (await keys()).list,
  'keys rotate': async () => (await keys()).rotate,
  'keys revoke': async () => (await keys()).revoke,
  'audit verify': async () => (await storage()).verifyAudit,
  'secrets rewrap': async () => (await storage()).rewrapSecrets,
  types: async () => (await import('./functions/write-types.ts')).types,
  'migrate status': async () => (await storage()).migrationStatus,
  'migrate up': async () => (await storage()).migrateUp,
  export: async () => (await storage()).exportFunctions,
  'import functions': async () => (await storage()).importFunctions,
  'import tensorzero': async () => (await import('./config-import/migration-actions.ts')).tensorzero,
  'import litellm': async () => (await import('./config-import/migration-actions.ts')).litellm,
  backup: async () => (await storage()).backup,
  restore: async () => (await storage()).restore,
  'plugin new': async () => (await plugins()).newPlugin,
  'plugin check': async () => (await plugins()).checkPlugin,
  'plugin list': async () => (await plugins()).listPlugins,
};
