import { ChannelCredentials, Metadata, ServerCredentials } from '@grpc/grpc-js';

/** PEM texts; without any, plain text. `ca` verifies the other side; `cert` and `key` prove this one. */
export interface TlsFiles {
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}

export function channelCredentials({ ca, cert, key }: TlsFiles): ChannelCredentials {
  if (ca === undefined && cert === undefined) return ChannelCredentials.createInsecure();
  return ChannelCredentials.createSsl(pem(ca), pem(key), pem(cert));
}

/** With `ca`, callers must present a certificate signed by it (mutual TLS). */
export function serverCredentials({ ca, cert, key }: TlsFiles): ServerCredentials {
  if (cert === undefined || key === undefined) return ServerCredentials.createInsecure();
  const pair = { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) };
  return ServerCredentials.createSsl(pem(ca), [pair], ca !== undefined);
}

const AUTHORIZATION = 'authorization';

export function callerMetadata(token: string): Metadata {
  const metadata = new Metadata();
  metadata.set(AUTHORIZATION, `Bearer ${token}`);
  return metadata;
}

/** Returns the token that a caller sent; undefined when there is none, or more than one. */
export function presentedToken(metadata: Metadata): string | undefined {
  const [value, ...more] = metadata.get(AUTHORIZATION);
  if (typeof value !== 'string' || more.length > 0) return undefined;
  return /^Bearer (.+)$/.exec(value)?.[1];
}

function pem(text: string | undefined): Buffer | null {
  return text === undefined ? null : Buffer.from(text);
}
