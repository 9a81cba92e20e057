import { ChannelCredentials, Metadata, ServerCredentials } from '@grpc/grpc-js';
import type { CallerProof } from './admin-proof.ts';

/** PEM texts; none: plain text. `ca` verifies the peer; `cert` and `key` prove this side. */
export interface TlsFiles {
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}

export function channelCredentials({ ca, cert, key }: TlsFiles): ChannelCredentials {
  if (ca === undefined && cert === undefined) return ChannelCredentials.createInsecure();
  return ChannelCredentials.createSsl(pem(ca), pem(key), pem(cert));
}

/** With `ca`, callers need a certificate signed by it (mutual TLS). */
export function serverCredentials({ ca, cert, key }: TlsFiles): ServerCredentials {
  if (cert === undefined || key === undefined) return ServerCredentials.createInsecure();
  const pair = { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) };
  return ServerCredentials.createSsl(pem(ca), [pair], ca !== undefined);
}

const AUTHORIZATION = 'authorization';

/** 32 bytes are 43 characters of base64url. */
const PROOF = /^Proof ([\w-]{43})\.(\d{1,15})\.([\w-]{43})$/;

export function callerMetadata(token: string): Metadata {
  return authorizedBy(`Bearer ${token}`);
}

/** Returns metadata with a proof instead of the token. It authorizes one call. */
export function proofMetadata({ nonce, timeMs, proof }: CallerProof): Metadata {
  return authorizedBy(`Proof ${nonce.toString('base64url')}.${timeMs}.${proof.toString('base64url')}`);
}

/** Returns undefined without a token, or with several. */
export function presentedToken(metadata: Metadata): string | undefined {
  return /^Bearer (.+)$/.exec(authorizationOf(metadata))?.[1];
}

/** Returns the unchecked proof; undefined without one. */
export function presentedProof(metadata: Metadata): CallerProof | undefined {
  const [, nonce, time, proof] = PROOF.exec(authorizationOf(metadata)) ?? [];
  if (nonce === undefined || time === undefined || proof === undefined) return undefined;
  return {
    nonce: Buffer.from(nonce, 'base64url'),
    timeMs: Number(time),
    proof: Buffer.from(proof, 'base64url'),
  };
}

function authorizedBy(authorization: string): Metadata {
  const metadata = new Metadata();
  metadata.set(AUTHORIZATION, authorization);
  return metadata;
}

function authorizationOf(metadata: Metadata): string {
  const [value, ...more] = metadata.get(AUTHORIZATION);
  return typeof value === 'string' && more.length === 0 ? value : '';
}

function pem(text: string | undefined): Buffer | null {
  return text === undefined ? null : Buffer.from(text);
}
