import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Resolve } from '../egress/resolve.ts';

/** What spares the next handshake with the same server a round trip. */
export interface TlsSessions {
  latest: Buffer | undefined;
}

type Connected = (...result: [null, Socket] | [Error, null]) => void;

/** Opens a connection, and hands its socket out before it stands, so that it can be closed while it is being made. */
export function openSocket(origin: URL, sessions: TlsSessions, resolve: Resolve, connected: Connected): Socket {
  const host = origin.hostname.replace(/^\[|\]$/g, '');
  const secure = origin.protocol === 'https:';
  const port = Number(origin.port) || (secure ? 443 : 80);
  const target = { host, port, lookup: lookupBy(resolve), autoSelectFamily: true };
  const socket = secure ? openTls(target, sessions) : connectTcp(target);

  let waiting = true;
  const settle: Connected = (...result) => {
    if (!waiting) return;
    waiting = false;
    connected(...result);
  };
  return (
    socket
      .setNoDelay(true)
      // A completion may take minutes without a byte, and gateways on the path forget connections that are silent.
      .setKeepAlive(true, 30_000)
      .once(secure ? 'secureConnect' : 'connect', () => settle(null, socket))
      .on('error', (error) => settle(error, null))
      .once('close', () => settle(new Error('closed while connecting'), null))
  );
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly lookup: LookupFunction;
  readonly autoSelectFamily: boolean;
}

function lookupBy(resolve: Resolve): LookupFunction {
  return (hostname, { all }, answer) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) answer(new Error('the name has no address'), []);
        else if (all === true) answer(null, [...addresses]);
        else answer(null, first.address, first.family);
      },
      (error: Error) => answer(error, []),
    );
  };
}

function openTls(target: Target, sessions: TlsSessions): Socket {
  const { host } = target;
  const socket = connectTls({
    ...target,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) ? {} : { servername: host }),
    ...(sessions.latest ? { session: sessions.latest } : {}),
  });
  return socket.on('session', (session) => {
    sessions.latest = session;
  });
}
