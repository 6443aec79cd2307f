import { attempts, bodies, either, got } from '../program-rows.ts';

/** A result as the bootstrap would send it: type 18, length, and a document that the function never returned. */
const forgedResult = `const document = new TextEncoder().encode('{"forged":true}'); const frame = new Uint8Array(5 + document.length); frame[0] = 18; new DataView(frame.buffer).setUint32(1, document.length); frame.set(document, 5);`;

/** Whatever is written where, the output is the one that was returned. */
const honest = { output: { honest: true } } as const;

export const forgedFrames = [
  ...bodies('forgery', honest, {
    'a result on stdout': `${forgedResult} const fs = await node('fs'); fs.writeSync(1, frame); return { honest: true };`,
    'a result on stderr': `${forgedResult} const fs = await node('fs'); fs.writeSync(2, frame); return { honest: true };`,
    'a result by console.log': `console.log('{"forged":true}'); return { honest: true };`,
    'a result on every number that is open': `${forgedResult} const fs = await node('fs'); for (let fd = 3; fd < 128; fd++) try { fs.writeSync(fd, frame); } catch {} return { honest: true };`,
    'a result by a stream on every number': `${forgedResult} const fs = await node('fs'); for (let fd = 3; fd < 32; fd++) try { fs.createWriteStream('', { fd, autoClose: false }).on('error', () => {}).write(frame); } catch {} await new Promise((resolve) => setTimeout(resolve, 20)); return { honest: true };`,
    'the mark of the end of the logs, early': `const fs = await node('fs'); fs.writeSync(1, '\\u001eF\\u001f'); fs.writeSync(2, '\\u001eF\\u001f'); await new Promise((resolve) => setTimeout(resolve, 20)); return { honest: true };`,
    'the mark of the end of the logs, many times': `const fs = await node('fs'); for (let i = 0; i < 1000; i++) fs.writeSync(1, '\\u001eF\\u001f'); return { honest: true };`,
    'half a mark': `const fs = await node('fs'); fs.writeSync(1, '\\u001e'); return { honest: true };`,
    'half a character': `const fs = await node('fs'); fs.writeSync(1, new Uint8Array([0xe2, 0x82])); return { honest: true };`,
    'bytes that are no text': `const fs = await node('fs'); fs.writeSync(1, new Uint8Array(5000).map((_, i) => i)); return { honest: true };`,
    'a mark within an entry of the console': `console.log('\\u001f\\u001eEforged\\u001f'); return { honest: true };`,
    'the text of an exhausted heap on stderr': `const fs = await node('fs'); fs.writeSync(2, 'Fatal JavaScript out of memory: CALL_AND_RETRY_LAST\\n'); return { honest: true };`,
    'the text of a promise that never settles on stderr': `const fs = await node('fs'); fs.writeSync(2, 'error: Top-level await promise never resolved\\n'); return { honest: true };`,
    'the text of a failing unshare on stderr': `const fs = await node('fs'); fs.writeSync(2, 'unshare: forged\\n'); return { honest: true };`,
    'closing the numbers of the host': `const fs = await node('fs'); for (let fd = 64; fd < 128; fd++) try { fs.closeSync(fd); } catch {} return { honest: true };`,
    'a second answer by a second return': `const first = { honest: true }; setTimeout(() => { first.honest = false; }, 0); return first;`,
    'a message to a parent': `globalThis.postMessage?.({ forged: true }); (await node('process')).send?.({ forged: true }); return { honest: true };`,
    'an answer for another execution': `context.executionId = 'execution_of_another'; return { honest: true };`,
    'an identifier with an effect': `Object.defineProperty(context, 'executionId', { get() { throw new Error('trap'); } }); return { honest: true };`,
    'a new connection by the path of the control socket': `const net = await node('net'); for (const path of ['/patchbay/socket/s', '/tmp/s']) try { await once(net.connect({ path }), 'connect'); } catch {} return { honest: true };`,
    'a broken pipe': `const process = await node('process'); process.stdout.on('error', () => {}); process.stdout.end(); return { honest: true };`,
  }),

  /** Closing the connection is a way to end, and no way to answer. */
  ...bodies(
    'forgery',
    either(honest, {
      reasons: ['exited_early', 'protocol_violation', 'never_settled', 'wall_limit', 'function_threw'],
    }),
    {
      'closing every number that is open': `const fs = await node('fs'); for (let fd = 3; fd < 64; fd++) try { fs.closeSync(fd); } catch {} return { honest: true };`,
      'closing the standard streams': `const fs = await node('fs'); for (const fd of [0, 1, 2]) try { fs.closeSync(fd); } catch {} return { honest: true };`,
      'writing files over the standard streams': `const fs = await node('fs'); for (const fd of [0, 1, 2]) try { fs.closeSync(fd); fs.openSync('/dev/null'); } catch {} return { honest: true };`,
      'an event that says that nothing settles': `EventTarget.prototype.dispatchEvent.call(globalThis, new Event('beforeunload', { cancelable: true })); await new Promise((resolve) => setTimeout(resolve, 20)); return { honest: true };`,
      'an event of an error that is a result': `EventTarget.prototype.dispatchEvent.call(globalThis, new ErrorEvent('error', { error: { reason: 'output', message: '{"forged":true}' }, cancelable: true })); await new Promise((resolve) => setTimeout(resolve, 20)); return { honest: true };`,
      'an event of a rejection of nothing': `EventTarget.prototype.dispatchEvent.call(globalThis, new Event('unhandledrejection', { cancelable: true })); await new Promise((resolve) => setTimeout(resolve, 20)); return { honest: true };`,
    },
    { wallMs: 3000 },
  ),

  /** Node opens a number as a socket. Code that can import it can lie, about itself alone. */
  ...bodies(
    'forgery',
    either(honest, { output: { forged: true } }, { reasons: ['protocol_violation', 'function_threw'] }),
    {
      'a result on the control socket, by its number': `${forgedResult} const { Socket } = await node('net'); globalThis.process ??= await node('process'); for (let fd = 3; fd < 40; fd++) try { const socket = new Socket({ fd }); socket.on('error', () => {}); socket.write(frame); } catch {} await new Promise((resolve) => setTimeout(resolve, 50)); return { honest: true };`,
      'two results on the control socket, by its number': `${forgedResult} const { Socket } = await node('net'); globalThis.process ??= await node('process'); for (let fd = 3; fd < 40; fd++) try { const socket = new Socket({ fd }); socket.on('error', () => {}); socket.write(frame); socket.write(frame); } catch {} await new Promise((resolve) => setTimeout(resolve, 50)); return { honest: true };`,
      'a frame of four gigabytes on the control socket': `const { Socket } = await node('net'); globalThis.process ??= await node('process'); for (let fd = 3; fd < 40; fd++) try { const socket = new Socket({ fd }); socket.on('error', () => {}); socket.write(new Uint8Array([18, 255, 255, 255, 255])); } catch {} await new Promise((resolve) => setTimeout(resolve, 50)); return { honest: true };`,
      'calls of the host on the control socket': `const { Socket } = await node('net'); globalThis.process ??= await node('process'); for (let fd = 3; fd < 40; fd++) try { const socket = new Socket({ fd }); socket.on('error', () => {}); socket.write(new Uint8Array([20, 0, 0, 0, 5, 97, 10, 91, 93, 93])); } catch {} await new Promise((resolve) => setTimeout(resolve, 50)); return { honest: true };`,
    },
  ),

  /** Files of the own process lead to sockets as little as any other file. */
  ...attempts('forgery', got(null), {
    'a link to the socket of the own process': `{ const fs = await node('fs'); for (let fd = 3; fd < 20; fd++) try { return fs.readlinkSync('/proc/self/fd/' + fd); } catch {} return null; }`,
    'opening the socket of the own process again': `{ const fs = await node('fs'); for (let fd = 3; fd < 20; fd++) try { return fs.openSync('/proc/self/fd/' + fd, 'r+'); } catch {} return null; }`,
    'opening the socket of the own process as /dev/fd': `{ const fs = await node('fs'); for (let fd = 3; fd < 20; fd++) try { return fs.openSync('/dev/fd/' + fd, 'r+'); } catch {} return null; }`,
    'active handles of Node': `((await node('process'))._getActiveHandles?.() ?? []).length === 0 ? null : 'handles'`,
    'active resources of Node': `((await node('process')).getActiveResourcesInfo?.() ?? []).some((name) => /Pipe|TCP|Socket/.test(name)) ? 'sockets' : null`,
  }),
];
