import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** What spares the next handshake with the same server a round trip. */
export interface TlsSessions {
  latest: Buffer | undefined;
}

type Connected = (...result: [null, Socket] | [Error, null]) => void;

/** Opens a connection, and hands its socket out before it stands, so that it can be closed while it is being made. */
export function openSocket(origin: URL, sessions: TlsSessions, connected: Connected): Socket {
  const host = origin.hostname.replace(/^\[|\]$/g, '');
  const secure = origin.protocol === 'https:';
  const port = Number(origin.port) || (secure ? 443 : 80);
  const socket = secure ? openTls(host, port, sessions) : connectTcp({ host, port });

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

function openTls(host: string, port: number, sessions: TlsSessions): Socket {
  const socket = connectTls({
    host,
    port,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) ? {} : { servername: host }),
    ...(sessions.latest ? { session: sessions.latest } : {}),
  });
  return socket.on('session', (session) => {
    sessions.latest = session;
  });
}
