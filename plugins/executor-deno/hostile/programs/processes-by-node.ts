import { attempts, either, got, refused } from '../program-rows.ts';

const expected = refused('NotCapable|ERR_ACCESS_DENIED|EACCES|EPERM');

const children = attempts('processes', expected, {
  'child_process.execSync': `String((await node('child_process')).execSync('id'))`,
  'child_process.exec': `{ const { exec } = await node('child_process'); return await call((done) => exec('id', done)); }`,
  'child_process.execFile': `{ const { execFile } = await node('child_process'); return await call((done) => execFile('/usr/bin/id', done)); }`,
  'child_process.execFileSync': `String((await node('child_process')).execFileSync('/usr/bin/id'))`,
  'child_process.spawn': `await once((await node('child_process')).spawn('/usr/bin/id'), 'exit')`,
  'child_process.spawn, detached': `await once((await node('child_process')).spawn('/bin/sleep', ['60'], { detached: true, stdio: 'ignore' }), 'spawn')`,
  'child_process.spawn of a shell': `await once((await node('child_process')).spawn('touch ' + canary.folder + '/new', { shell: true }), 'exit')`,
  'child_process.spawnSync': `{ const { error, status } = (await node('child_process')).spawnSync('/usr/bin/id'); if (error) throw error; return status; }`,
  'child_process.fork': `await once((await node('child_process')).fork('/tmp/x.js'), 'exit')`,
  'cluster.fork': `await once((await node('cluster')).fork(), 'online')`,
  'process.kill of the canary process': `(await node('process')).kill(canary.pid, 'SIGKILL')`,
  'process.kill of the host': `(await node('process')).kill(canary.host, 'SIGTERM')`,
  'process.kill of every process': `(await node('process')).kill(-1, 'SIGCONT')`,
  'process.kill of the host, to see whether it is there': `(await node('process')).kill(canary.host, 0)`,
  'process._debugProcess': `(await node('process'))._debugProcess?.(canary.host) ?? (() => { throw Object.assign(new Error('none'), { code: 'NotCapable' }); })()`,
  'process.dlopen': `(await node('process')).dlopen({ exports: {} }, '/tmp/x.node')`,
  'the C library through a module': `(await node('module')).createRequire('/tmp/x.js')('/lib/x86_64-linux-gnu/libc.so.6.node')`,
});

/** Threads need no permission. They are stopped by what they need, or by the end of the process. */
const threads = attempts(
  'processes',
  either(refused('Error|TypeError|ERR_WORKER_OUT_OF_MEMORY|ERR_ACCESS_DENIED|NotCapable'), {
    reasons: ['memory_limit', 'exited_early', 'wall_limit', 'cpu_limit'],
  }),
  {
    'a thread that reads a file': `await worker('done({ refused: (() => { try { return Deno.readTextFileSync("' + canary.shared + '"); } catch (error) { return error.name; } })() })').then((answer) => { throw Object.assign(new Error(JSON.stringify(answer)), { code: answer.refused ?? 'Error' }); })`,
    'a thread that reads the environment': `await worker('done({ refused: (() => { try { return JSON.stringify(Deno.env.toObject()); } catch (error) { return error.name; } })() })').then((answer) => { throw Object.assign(new Error(JSON.stringify(answer)), { code: answer.refused ?? 'Error' }); })`,
    'a thread that connects': `await worker('Deno.connect({ port: ' + canary.port + ' }).then(() => done({ refused: "connected" }), (error) => done({ refused: error.name }))').then((answer) => { throw Object.assign(new Error(JSON.stringify(answer)), { code: answer.refused ?? 'Error' }); })`,
    'a thread that starts a process': `await worker('done({ refused: (() => { try { return new Deno.Command("id").outputSync().code; } catch (error) { return error.name; } })() })').then((answer) => { throw Object.assign(new Error(JSON.stringify(answer)), { code: answer.refused ?? 'Error' }); })`,
    'a thread that imports a file': `await worker('import("file://' + canary.shared + '", { with: { type: "text" } }).then((module) => done({ refused: module.default }), (error) => done({ refused: error.name }))').then((answer) => { throw Object.assign(new Error(JSON.stringify(answer)), { code: answer.refused ?? 'Error' }); })`,
    'a thread whose code is a file': `{ const { Worker } = await node('worker_threads'); const thread = new Worker(new URL('file://' + canary.shared), { env: {}, argv: [], execArgv: [] }); return await once(thread, 'exit').then((code) => { throw new Error('exit ' + code); }); }`,
    'a thread that stores what the next run finds': `await worker('try { localStorage.setItem("x", "y"); done({ refused: "stored" }); } catch (error) { done({ refused: error.name }); }').then((answer) => { throw Object.assign(new Error(JSON.stringify(answer)), { code: answer.refused ?? 'Error' }); })`,
  },
);

const absent = attempts('processes', refused('TypeError|NotCapable'), {
  'process.execve': `(await node('process')).execve('/bin/sh', ['sh', '-c', 'id'], {})`,
});

/** A process may stop itself: its time goes on, which is enough for a start on a busy machine. The first process of a namespace, as in the jail `unshare`, cannot. */
const stopped = attempts(
  'processes',
  either({ reasons: ['wall_limit'] }, got(null)),
  {
    'process.kill of itself, with a signal that stops': `{ const process = await node('process'); return process.kill(process.pid, 'SIGSTOP') && (await new Promise((resolve) => setTimeout(resolve, 100, null))); }`,
  },
  { wallMs: 5000 },
);

const signals = attempts(
  'processes',
  either(
    got(null),
    got({}),
    refused(
      'NotCapable|TypeError|SyntaxError|ERR_INSPECTOR_NOT_WORKER|ERR_ACCESS_DENIED|EPERM|Error|ReferenceError|EACCES',
    ),
  ),
  {
    'a handler of SIGTERM': `{ const process = await node('process'); process.on('SIGTERM', () => {}); process.on('SIGXCPU', () => {}); return null; }`,
    'a handler of SIGCHLD': `{ (await node('process')).on('SIGCHLD', () => {}); return null; }`,
    'process.binding of spawn': `(await node('process')).binding('spawn_sync')`,
    'process.binding of files': `Object.keys((await node('process')).binding('fs')).includes('open') ? (await node('process')).binding('fs').open(canary.shared, 0) : null`,
    'an inspector for everybody': `(await node('inspector')).open(0, '0.0.0.0')`,
    'an inspector of the own process': `{ const { Session } = await node('inspector'); const session = new Session(); session.connect(); session.post('Runtime.evaluate', { expression: '1' }); return null; }`,
    'an inspector of the main thread': `{ const { Session } = await node('inspector'); new Session().connectToMainThread(); return null; }`,
    'flags of the engine': `{ (await node('v8')).setFlagsFromString('--allow-natives-syntax'); return new Function('return %GetOptimizationStatus')() ?? null; }`,
    'a snapshot to start from': `{ (await node('v8')).startupSnapshot.addSerializeCallback(() => {}); return null; }`,
  },
);

export const processesByNode = [...children, ...threads, ...absent, ...stopped, ...signals];
