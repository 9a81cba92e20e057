import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { Agent } from 'node:https';
import { Readable } from 'node:stream';
import type { ProviderBody } from '@model-gateway/dialects';
import type { EgressProxy } from '../egress/egress-proxy.ts';
import type { CredentialSource, FetchedCredential, UnsignedRequest } from './fetched-credential.ts';

type Variables = (name: string) => string | undefined;

interface AwsCredentialIdentity {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  expiration?: Date;
}

/** Service name of the signature. */
const SERVICE = 'bedrock';
const BODY_HASH_HEADER = 'x-amz-content-sha256';
/**
 * A 403 mostly means missing permissions. With these messages it means expired or replaced keys, which a new
 * fetch can fix.
 */
const STALE =
  /ExpiredToken|UnrecognizedClient|security token included in the request is (?:expired|invalid)/i;

/**
 * Finds the AWS credentials of this process in the order of AWS SDKs: environment, profile, web identity,
 * container, machine.
 * Source: "Credential provider chain" of the AWS SDKs and Tools Reference Guide.
 */
export function awsCredentials(region: string): CredentialSource {
  return {
    key: `aws ${region}`,
    name: `AWS credentials for ${region}`,
    fetch: (variable, egress) => fetchCredentials(region, variable, egress),
    isStale: (status, bodyText) => status === 401 || (status === 403 && STALE.test(bodyText)),
  };
}

async function fetchCredentials(
  region: string,
  variable: Variables,
  egress: EgressProxy,
): Promise<FetchedCredential> {
  // Loaded only for providers on AWS.
  const [{ defaultProvider }, { SignatureV4 }] = await Promise.all([
    import('@aws-sdk/credential-provider-node'),
    import('@smithy/signature-v4'),
  ]);
  // A new chain each time, because a chain caches its result.
  const credentials = keysIn(variable) ?? (await defaultProvider(clientSettings(region, egress))());
  const signer = new SignatureV4({ credentials, region, service: SERVICE, sha256: NodeSha256 });
  return {
    authenticate: async (request) => (await signer.sign(toSignable(request))).headers,
    expiresAtMs: credentials.expiration?.getTime(),
    // Useless without the secret key, but callers must not see it either.
    secret: credentials.sessionToken,
  };
}

/** Returns settings for the chain's calls to STS and SSO, which may need a proxy. */
function clientSettings(region: string, egress: EgressProxy) {
  const proxy = egress.proxyFor({ protocol: 'https:', hostname: `sts.${region}.amazonaws.com` });
  if (proxy === undefined) return {};
  const httpsAgent = new Agent({ keepAlive: true, proxyEnv: { HTTPS_PROXY: proxy.href } });
  return { clientConfig: { requestHandler: { httpsAgent } } };
}

/** Returns the keys in AWS's variables, which may be stored credentials. A profile takes precedence. */
function keysIn(variable: Variables): AwsCredentialIdentity | undefined {
  const accessKeyId = variable('AWS_ACCESS_KEY_ID');
  const secretAccessKey = variable('AWS_SECRET_ACCESS_KEY');
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  if (variable('AWS_PROFILE') !== undefined) return undefined;
  const sessionToken = variable('AWS_SESSION_TOKEN');
  const expiration = variable('AWS_CREDENTIAL_EXPIRATION');
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    ...(expiration === undefined ? {} : { expiration: new Date(expiration) }),
  };
}

function toSignable({ body, headers, method, origin, path }: UnsignedRequest) {
  const { host, hostname, protocol } = new URL(origin);
  const [pathname = '/', ...query] = path.split('?');
  return {
    method,
    protocol,
    hostname,
    path: pathname,
    query: Object.fromEntries(new URLSearchParams(query.join('?'))),
    headers: { ...headers, host, [BODY_HASH_HEADER]: bodyHash(body) },
  };
}

function bodyHash(body: ProviderBody | undefined): string {
  const hash = createHash('sha256');
  if (body?.content instanceof Readable) {
    if (body.pieces === undefined) throw new Error('a body that is still on its way cannot be signed');
    for (const piece of body.pieces) hash.update(piece);
  } else if (body !== undefined) hash.update(body.content);
  return hash.digest('hex');
}

/** The hash interface of the signer, with Node's own crypto. */
class NodeSha256 {
  readonly #secret: Uint8Array | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#secret = secret === undefined ? undefined : bytesOf(secret);
    this.#hash = this.#newHash();
  }

  update(part: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(part));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#newHash();
  }

  #newHash(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
}

function bytesOf(part: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof part === 'string') return Buffer.from(part);
  return ArrayBuffer.isView(part)
    ? new Uint8Array(part.buffer, part.byteOffset, part.byteLength)
    : new Uint8Array(part);
}
