import { attempts, either, got, needsDeno, noSuchName, refused } from '../program-rows.ts';

const expected = refused('NotCapable|ERR_ACCESS_DENIED|EACCES');

const byDeno = attempts(
  'environment',
  noSuchName,
  {
    'Deno.env.get of the canary': `Deno.env.get(canary.variable)`,
    'Deno.env.toObject': `Deno.env.toObject()`,
    'Deno.env.has': `Deno.env.has('PATH')`,
    'Deno.env.set': `Deno.env.set('PATH', '/tmp')`,
    'Deno.env.delete': `Deno.env.delete('DENO_DIR')`,
    'Deno.hostname': `Deno.hostname()`,
    'Deno.osRelease': `Deno.osRelease()`,
    'Deno.osUptime': `Deno.osUptime()`,
    'Deno.loadavg': `Deno.loadavg()`,
    'Deno.networkInterfaces': `Deno.networkInterfaces()`,
    'Deno.systemMemoryInfo': `Deno.systemMemoryInfo()`,
    'Deno.uid': `Deno.uid()`,
    'Deno.gid': `Deno.gid()`,
    'Deno.resources of the runtime': `Deno.permissions.requestSync({ name: 'env' }).state === 'granted' || Deno.env.toObject()`,
    'a permission asked for': `{ const { state } = await Deno.permissions.request({ name: 'env' }); if (state !== 'granted') Deno.env.get('HOME'); return state; }`,
    'a permission asked for that was there once': `{ const { state } = await Deno.permissions.request({ name: 'read' }); if (state !== 'granted') Deno.readTextFileSync(canary.shared); return state; }`,
  },
  needsDeno,
);

const byNode = attempts('environment', expected, {
  'process.env of the canary': `(await node('process')).env[canary.variable] ?? (() => { throw Object.assign(new Error('not there'), { code: 'NotCapable' }); })()`,
  'process.env, listed': `{ const { env } = await node('process'); const names = Object.keys(env); if (names.length === 0) throw Object.assign(new Error('empty'), { code: 'NotCapable' }); return { ...env }; }`,
  'process.env, written': `{ const process = await node('process'); process.env.PATH = '/tmp'; return process.env.PATH; }`,
  'os.hostname': `(await node('os')).hostname()`,
  'os.networkInterfaces': `(await node('os')).networkInterfaces()`,
  'os.userInfo': `(await node('os')).userInfo()`,
  'os.homedir': `(await node('os')).homedir() ?? (() => { throw Object.assign(new Error('none'), { code: 'NotCapable' }); })()`,
  'os.tmpdir': `(await node('os')).tmpdir()`,
  'os.loadavg': `(await node('os')).loadavg()`,
  'os.uptime': `(await node('os')).uptime()`,
  'os.freemem': `(await node('os')).freemem()`,
  'os.cpus': `(await node('os')).cpus().length`,
  'os.release': `(await node('os')).release()`,
  'os.version': `(await node('os')).version()`,
  'os.getPriority of the host': `(await node('os')).getPriority(canary.host)`,
  'os.setPriority': `(await node('os')).setPriority(0, -20)`,
  'process.getuid': `(await node('process')).getuid()`,
  'process.getgroups': `(await node('process')).getgroups()`,
  'process.setuid': `(await node('process')).setuid(0)`,
  'process.setgid': `(await node('process')).setgid(0)`,
  'process.umask': `(await node('process')).umask(0)`,
});

/** Facts that a process may know about itself. */
const own = attempts('environment', either(got(null), refused('TypeError|NotCapable')), {
  'process.cwd': `{ const folder = (await node('process')).cwd(); return folder === '/' ? null : folder; }`,
  'process.title': `{ const process = await node('process'); process.title = 'init'; return process.title === 'init' ? null : process.title; }`,
  'process.resourceUsage': `typeof (await node('process')).resourceUsage().maxRSS === 'number' ? null : 'unknown'`,
  'process.memoryUsage': `{ const { rss } = (await node('process')).memoryUsage(); return rss === undefined || typeof rss === 'number' ? null : rss; }`,
  'process.constrainedMemory': `{ const bytes = (await node('process')).constrainedMemory(); return typeof bytes === 'number' ? null : bytes; }`,
  'process.cpuUsage': `{ const { user } = (await node('process')).cpuUsage(); return typeof user === 'number' || user === standIn ? null : user; }`,
  'process.initgroups': `(await node('process')).initgroups('root', 0)`,
  'process.report': `{ const report = (await node('process')).report; return /HOSTILE|PATH/.test(String(JSON.stringify(report?.getReport?.()))) ? 'environment' : null; }`,
  'process.permission': `(await node('process')).permission.has('fs.read', canary.shared)`,
  'process.config': `{ const { config } = await node('process'); return /\\/home|\\/tmp|\\/root/.test(JSON.stringify(config)) ? config : null; }`,
});

/** Names that are gone. Where they are left, they show paths, and no secret. */
const harmless = attempts(
  'environment',
  refused('ReferenceError'),
  {
    'the path of the program': `Deno.execPath()`,
    'navigator.gpu': `await navigator.gpu.requestAdapter()`,
    'the language of the host': `navigator.language`,
    'the program that was started': `Deno.mainModule`,
    'the address of the page': `location.href`,
    'the global process': `process.argv`,
    'variables by an inherited getter': `process.__proto__.env`,
  },
  { expectedWithGlobals: { anything: true } },
);

export const environment = [...byDeno, ...byNode, ...own, ...harmless];
