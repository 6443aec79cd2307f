import { attempts, either, needsDeno, noSuchName, refused } from '../program-rows.ts';

const stable = attempts(
  'network',
  noSuchName,
  {
    'Deno.connect to the canary': `await Deno.connect({ hostname: '127.0.0.1', port: canary.port })`,
    'Deno.connect by name': `await Deno.connect({ hostname: 'localhost', port: canary.port })`,
    'Deno.connect by IPv6': `await Deno.connect({ hostname: '::1', port: canary.port })`,
    'Deno.connect to any address': `await Deno.connect({ hostname: '0.0.0.0', port: canary.port })`,
    'Deno.connect to a resolver': `await Deno.connect({ hostname: '1.1.1.1', port: 53 })`,
    'Deno.connect to a unix socket': `await Deno.connect({ transport: 'unix', path: canary.socket })`,
    'Deno.connect to an abstract unix socket': `await Deno.connect({ transport: 'unix', path: '\\0' + canary.abstract }).catch((error) => { throw error.name === 'NotCapable' ? error : Object.assign(error, { code: error.message.includes('nul') ? 'NotCapable' : error.name }); })`,
    'Deno.connect to the container daemon': `await Deno.connect({ transport: 'unix', path: '/var/run/docker.sock' })`,
    'Deno.connect to the system bus': `await Deno.connect({ transport: 'unix', path: '/run/dbus/system_bus_socket' })`,
    'Deno.connect to the own control socket again': `await Deno.connect({ transport: 'unix', path: Deno.args[0] })`,
    'Deno.connectTls': `await Deno.connectTls({ hostname: '127.0.0.1', port: canary.port })`,
    'Deno.listen on every address': `Deno.listen({ port: 0 }).addr`,
    'Deno.listen on a unix socket': `Deno.listen({ transport: 'unix', path: canary.folder + '/socket' }).addr`,
    'Deno.serve': `Deno.serve({ port: 0 }, () => new Response('x')).addr`,
    'Deno.serve on a unix socket': `Deno.serve({ path: canary.folder + '/http' }, () => new Response('x')).addr`,
    'Deno.resolveDns by a server of its own': `await Deno.resolveDns('secret.leak.example', 'TXT', { nameServer: { ipAddr: '127.0.0.1', port: canary.datagramPort } })`,
    'Deno.startTls on a connection': `await Deno.startTls(await Deno.connect({ hostname: '127.0.0.1', port: canary.port }))`,
  },
  needsDeno,
);

/** Without a permission, or in a root folder without the configuration of a resolver. */
const names = attempts(
  'network',
  noSuchName,
  {
    'Deno.resolveDns': `await Deno.resolveDns('secret.leak.example', 'A')`,
  },
  { expectedWithGlobals: refused('NotCapable|Error') },
);

/** Missing, or an end of the process, without the flags for unstable features. */
const unstable = attempts(
  'network',
  noSuchName,
  {
    'Deno.connect to the host by vsock': `await Deno.connect({ transport: 'vsock', cid: 2, port: canary.port })`,
    'Deno.connectQuic': `await Deno.connectQuic({ hostname: '127.0.0.1', port: canary.port, alpnProtocols: ['x'] })`,
    'a QUIC endpoint': `new Deno.QuicEndpoint({ hostname: '0.0.0.0', port: 0 }).addr`,
    'Deno.listen by vsock': `Deno.listen({ transport: 'vsock', cid: -1, port: 4000 }).addr`,
    'Deno.listen on the port of the canary': `Deno.listen({ hostname: '127.0.0.1', port: canary.port, reusePort: true }).addr`,
    'Deno.listenTls': `Deno.listenTls({ port: 0, cert: '', key: '' }).addr`,
    'Deno.listenDatagram': `await Deno.listenDatagram({ transport: 'udp', port: 0 }).send(new Uint8Array(3), { transport: 'udp', hostname: '127.0.0.1', port: canary.datagramPort })`,
    'Deno.listenDatagram on a unix socket': `Deno.listenDatagram({ transport: 'unixpacket', path: canary.folder + '/packets' }).addr`,
  },
  { expectedWithGlobals: either(refused('NotCapable|TypeError|InvalidData'), { reasons: ['exited_early'] }) },
);

export const networkByDeno = [...stable, ...names, ...unstable];
