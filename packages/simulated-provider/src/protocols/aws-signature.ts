import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../text/signatures.ts';

export interface SignedRequest {
  method: string;
  /** The path with its query, as received. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The parts of a signature header. */
export interface AwsSignature {
  accessKeyId: string;
  /** `20261123` */
  date: string;
  region: string;
  service: string;
  signedHeaders: readonly string[];
  signature: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request, SignedHeaders=([^,\s]+), Signature=([0-9a-f]{64})$/;

/** Parses the header `authorization`; undefined if it has no signature. */
export function awsSignatureIn(authorization: string | undefined): AwsSignature | undefined {
  const found = AUTHORIZATION.exec(authorization ?? '');
  if (found === null) return undefined;
  const [, accessKeyId = '', date = '', region = '', service = '', names = '', signature = ''] = found;
  return { accessKeyId, date, region, service, signedHeaders: names.split(';'), signature };
}

/**
 * Returns true if a request bears the signature of this key.
 * Source: "Create a signed AWS API request", AWS Identity and Access Management User Guide.
 */
export function isSignedBy(
  request: SignedRequest,
  signature: AwsSignature,
  secretAccessKey: string,
): boolean {
  return isSameSecret(signature.signature, expectedSignature(request, signature, secretAccessKey));
}

/** Returns the signature in hexadecimal digits. */
export function expectedSignature(
  request: SignedRequest,
  { date, region, service, signedHeaders }: AwsSignature,
  secretAccessKey: string,
): string {
  const scope = [date, region, service, 'aws4_request'];
  const text = [
    'AWS4-HMAC-SHA256',
    headerText(request.headers, 'x-amz-date'),
    scope.join('/'),
    sha256(canonicalRequest(request, signedHeaders)),
  ].join('\n');
  const key = scope.reduce<Buffer>(
    (previous, part) => createHmac('sha256', previous).update(part).digest(),
    Buffer.from(`AWS4${secretAccessKey}`),
  );
  return createHmac('sha256', key).update(text).digest('hex');
}

function canonicalRequest({ body, headers, method, url }: SignedRequest, names: readonly string[]): string {
  const [path = '/', query = ''] = url.split('?');
  return [
    method,
    // All services but S3 want each segment escaped a second time.
    path.split('/').map(escaped).join('/'),
    [...new URLSearchParams(query)]
      .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${headerText(headers, name).trim().replaceAll(/\s+/g, ' ')}`),
    '',
    names.join(';'),
    sha256(body),
  ].join('\n');
}

function headerText(headers: IncomingHttpHeaders, name: string): string {
  return [headers[name] ?? []].flat().join(',');
}

function escaped(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
