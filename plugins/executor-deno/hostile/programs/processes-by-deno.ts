import { attempts, either, needsDeno, noSuchName, refused } from '../program-rows.ts';

const stable = attempts(
  'processes',
  noSuchName,
  {
    'Deno.Command of a shell': `(await new Deno.Command('/bin/sh', { args: ['-c', 'touch ' + canary.folder + '/new'] }).output()).code`,
    'Deno.Command, synchronous': `new Deno.Command('/usr/bin/id').outputSync().code`,
    'Deno.Command of Deno itself, with all permissions': `(await new Deno.Command(Deno.execPath(), { args: ['eval', '-A', '1'] }).output()).code`,
    'Deno.Command of Deno where the jail has it': `(await new Deno.Command('/patchbay/deno', { args: ['run', '-A', 'data:text/javascript,1'] }).output()).code`,
    'Deno.Command of the own program by /proc': `new Deno.Command('/proc/self/exe', { args: ['--version'] }).outputSync().code`,
    'Deno.Command that goes on in the background': `new Deno.Command('/bin/sleep', { args: ['60'], detached: true }).spawn().unref()`,
    'Deno.Command of another user': `new Deno.Command('/usr/bin/id', { uid: 0, gid: 0 }).outputSync().code`,
    'Deno.Command with a library to load': `new Deno.Command('/usr/bin/id', { env: { LD_PRELOAD: '/tmp/x.so' } }).outputSync().code`,
    'Deno.kill of the canary process': `Deno.kill(canary.pid, 'SIGKILL')`,
    'Deno.kill of the host': `Deno.kill(canary.host, 'SIGTERM')`,
    'Deno.kill of the parent': `Deno.kill(Deno.ppid, 'SIGKILL')`,
    'Deno.kill of every process': `Deno.kill(-1, 'SIGCONT')`,
    'Deno.kill of the group of the host': `Deno.kill(-canary.host, 'SIGTERM')`,
    'Deno.dlopen of the C library': `Deno.dlopen('libc.so.6', { getpid: { parameters: [], result: 'i32' } }).symbols.getpid()`,
    'Deno.dlopen of the program itself': `Deno.dlopen(null, { system: { parameters: ['buffer'], result: 'i32' } })`,
    'Deno.UnsafePointer': `Deno.UnsafePointer.create(4096n) && Deno.UnsafePointer.of(new Uint8Array(1))`,
    'Deno.UnsafePointerView of any address': `new Deno.UnsafePointerView(Deno.UnsafePointer.create(4194304n)).getUint8()`,
    'Deno.UnsafeFnPointer': `new Deno.UnsafeFnPointer(Deno.UnsafePointer.create(4194304n), { parameters: [], result: 'void' }).call()`,
    'Deno.openUdp of a device by dlopen': `Deno.dlopen('/dev/zero', {})`,
    'a permission asked of the operator': `{ const { state } = await Deno.permissions.request({ name: 'run' }); return state === 'granted' ? state : new Deno.Command('/usr/bin/id').outputSync(); }`,
  },
  needsDeno,
);

/** Missing, or an end of the process, without the flags for unstable features. */
const unstable = attempts(
  'processes',
  noSuchName,
  {
    'Deno.bundle': `await Deno.bundle({ entrypoints: [canary.shared] })`,
    'a worker with all permissions': `{ const worker = new Worker('data:text/javascript,postMessage(1)', { type: 'module', deno: { permissions: { read: true, net: true } } }); return await new Promise((resolve, reject) => { worker.onmessage = resolve; worker.onerror = (event) => reject(event.error); }); }`,
  },
  { expectedWithGlobals: either(refused('NotCapable|TypeError'), { reasons: ['exited_early', 'memory_limit'] }) },
);

export const processesByDeno = [...stable, ...unstable];
