import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

export interface Certificate {
  /** PEM. Clients that add it to their trusted authorities can reach the server. */
  readonly certificate: string;
  readonly key: string;
}

/**
 * Makes a certificate for one host name or IPv4 address that is valid today, so that none needs to be kept in a file.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:https';
 * import { selfSignedCertificate } from '@patchbay/testing';
 *
 * const { certificate: cert, key } = selfSignedCertificate('127.0.0.1');
 * createServer({ cert, key }).listen(0, '127.0.0.1');
 * ```
 */
export function selfSignedCertificate(host: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signed = certificateBody(host, publicKey);
  const signature = sign('sha256', signed, privateKey);
  const der = sequence(signed, ecdsaWithSha256, element(0x03, Buffer.concat([Buffer.of(0), signature])));
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines(der.toString('base64'))}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const DAY_MS = 86_400_000;

/** OpenSSL does not accept longer ones. */
function lines(base64: string): string {
  return base64.replace(/.{64}(?=.)/g, '$&\n');
}

/** The part that is signed (RFC 5280, section 4.1). */
function certificateBody(host: string, publicKey: KeyObject): Buffer {
  const name = sequence(element(0x31, sequence(identifier('550403'), element(0x0c, Buffer.from(host)))));
  const address = isIPv4(host)
    ? element(0x87, Buffer.from(host.split('.').map(Number)))
    : element(0x82, Buffer.from(host));
  const alternativeName = sequence(identifier('551d11'), element(0x04, sequence(address)));
  return sequence(
    element(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    name,
    sequence(time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(alternativeName)),
  );
}

const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'));

/** One element of DER: its tag, its length, its content. */
function element(tag: number, content: Buffer): Buffer {
  const size = content.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.of(tag, ...length), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts));
}

function identifier(hex: string): Buffer {
  return element(0x06, Buffer.from(hex, 'hex'));
}

function integer(value: number): Buffer {
  return element(0x02, Buffer.of(value));
}

function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/\D/g, '').slice(2, 14);
  return element(0x17, Buffer.from(`${digits}Z`));
}
