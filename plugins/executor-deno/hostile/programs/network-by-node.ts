import { attempts, either, refused, threw } from '../program-rows.ts';

const to = `{ host: '127.0.0.1', port: canary.port }`;

// Names are not even looked up: some modules report it with another code, or in an unhandled rejection.
const denied = either(refused('NotCapable|ERR_ACCESS_DENIED|EACCES|EPERM|ENOTFOUND|UNKNOWN'), threw);

export const networkByNode = attempts('network', denied, {
  'net.connect to the canary': `await once((await node('net')).connect(${to}), 'connect')`,
  'net.connect by name': `await once((await node('net')).connect({ host: 'localhost', port: canary.port }), 'connect')`,
  'net.connect by both families at once': `await once((await node('net')).connect({ host: 'localhost', port: canary.port, autoSelectFamily: true }), 'connect')`,
  'net.connect by a lookup of its own': `await once((await node('net')).connect({ host: 'x.example', port: canary.port, lookup: (name, options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) }), 'connect')`,
  'net.connect to a unix socket': `await once((await node('net')).connect({ path: canary.socket }), 'connect')`,
  'net.connect to an abstract unix socket': `await once((await node('net')).connect({ path: '\\0' + canary.abstract }), 'connect')`,
  'net.createServer': `await once((await node('net')).createServer().listen(0), 'listening')`,
  'net.createServer on a unix socket': `await once((await node('net')).createServer().listen(canary.folder + '/socket'), 'listening')`,
  'tls.connect': `await once((await node('tls')).connect(${to}), 'secureConnect')`,
  'http.get': `await once((await node('http')).get('http://127.0.0.1:' + canary.port), 'response')`,
  'http.request over a unix socket': `await once((await node('http')).request({ socketPath: canary.socket, path: '/' }).end(), 'response')`,
  'http.request with an agent of its own': `{ const http = await node('http'); return await once(http.request({ ...${to}, agent: new http.Agent({ keepAlive: true }) }).end(), 'response'); }`,
  'http.createServer': `await once((await node('http')).createServer().listen(0), 'listening')`,
  'https.get': `await once((await node('https')).get('https://127.0.0.1:' + canary.port), 'response')`,
  'http2.connect': `await once((await node('http2')).connect('http://127.0.0.1:' + canary.port), 'connect')`,
  'http2.createServer': `await once((await node('http2')).createServer().listen(0), 'listening')`,
  'dgram send': `{ const socket = (await node('dgram')).createSocket('udp4'); return await new Promise((resolve, reject) => { socket.on('error', reject); socket.send('secret', canary.datagramPort, '127.0.0.1', (error) => (error ? reject(error) : resolve('sent'))); }); }`,
  'dgram bind': `{ const socket = (await node('dgram')).createSocket('udp4'); return await new Promise((resolve, reject) => { socket.on('error', reject); socket.bind(0, () => resolve('bound')); }); }`,
  'dgram multicast': `{ const socket = (await node('dgram')).createSocket('udp4'); return await new Promise((resolve, reject) => { socket.on('error', reject); socket.bind(0, () => resolve(socket.addMembership('224.0.0.114'))); }); }`,
  'dns.lookup': `{ const dns = await node('dns'); return await call((done) => dns.lookup('secret.leak.example', done)); }`,
  'dns.promises.lookup of the host itself': `await (await node('dns')).promises.lookup('localhost')`,
  'dns.resolve': `{ const dns = await node('dns'); return await call((done) => dns.resolve4('secret.leak.example', done)); }`,
  'dns.resolveTxt': `await (await node('dns/promises')).resolveTxt('secret.leak.example')`,
  'dns.reverse': `await (await node('dns/promises')).reverse('127.0.0.1')`,
  'dns.Resolver with a server of its own': `{ const { Resolver } = (await node('dns')).promises; const resolver = new Resolver(); resolver.setServers(['127.0.0.1:' + canary.datagramPort]); return await resolver.resolve4('secret.leak.example'); }`,
});
