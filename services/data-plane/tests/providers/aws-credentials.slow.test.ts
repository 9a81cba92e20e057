import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  PROVIDER_CREDENTIAL,
  simulatedAwsSecret,
  simulatedAwsSession,
  startGateway,
  type TestGateway,
} from '@model-gateway/test-kit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { askerOf, askInBursts, askUntil } from './ask-in-bursts.ts';
import { bedrockDocument } from './bedrock.ts';
import { startScriptedProvider } from './scripted-provider.ts';

const NOTHING_ELSE = {
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_ACCESS_KEY_ID: undefined,
  AWS_SECRET_ACCESS_KEY: undefined,
  AWS_PROFILE: undefined,
  AWS_CONFIG_FILE: '/nowhere/config',
  AWS_SHARED_CREDENTIALS_FILE: '/nowhere/credentials',
};

/** How long one that hands out keys takes. */
const FETCH_MS = 20;

let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
  vi.unstubAllEnvs();
});

async function startBedrock(
  environment: Record<string, string>,
  credentialEnv?: string,
): Promise<TestGateway> {
  for (const [name, value] of Object.entries({ ...NOTHING_ELSE, ...environment })) vi.stubEnv(name, value);
  const document = (baseUrl: string) => bedrockDocument(baseUrl, credentialEnv);
  return stack.use(await startGateway({ document }));
}

const askerAt = (gateway: TestGateway) => askerOf(gateway, 'bedrock/llama');

/** The endpoint of a container that hands out the keys of its role, each for so long. */
interface ContainerKeys extends AsyncDisposable {
  url: string;
  handedOut: () => number;
  /** The most requests for credentials that were open at once. */
  mostAtOnce: () => number;
  /** The next response. */
  next: { lastsMs: number; acceptedMs: number; isBroken: boolean };
}

async function startContainerKeys(lastsMs: number): Promise<ContainerKeys> {
  let count = 0;
  let open = 0;
  let mostAtOnce = 0;
  const next = { lastsMs, acceptedMs: lastsMs, isBroken: false };
  const provider = await startScriptedProvider(async (res) => {
    count++;
    open++;
    mostAtOnce = Math.max(mostAtOnce, open);
    res.on('close', () => open--);
    // As long as real ones take: whoever asks besides would be seen.
    await setTimeout(FETCH_MS);
    if (next.isBroken) return void res.writeHead(500).end();
    const AccessKeyId = `AKIDROLE${count}`;
    const keys = {
      AccessKeyId,
      SecretAccessKey: simulatedAwsSecret(AccessKeyId),
      Token: simulatedAwsSession(Date.now() + next.acceptedMs),
      Expiration: new Date(Date.now() + next.lastsMs).toISOString(),
    };
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(keys));
  });
  return {
    url: `${new URL(provider.baseUrl).origin}/role`,
    handedOut: () => count,
    mostAtOnce: () => mostAtOnce,
    next,
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

/** The service of AWS that gives keys for a web identity. */
async function startTokenService() {
  const AccessKeyId = 'AKIDWEBIDENTITY';
  const until = new Date(Date.now() + 3_600_000);
  const members = {
    AccessKeyId,
    SecretAccessKey: simulatedAwsSecret(AccessKeyId),
    SessionToken: simulatedAwsSession(until.getTime()),
    Expiration: until.toISOString(),
  };
  const xml = Object.entries(members).map(([name, value]) => `<${name}>${value}</${name}>`);
  const action = 'AssumeRoleWithWebIdentity';
  const answer =
    `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials>` +
    `${xml.join('')}</Credentials></${action}Result></${action}Response>`;
  const provider = await startScriptedProvider((res) =>
    res.writeHead(200, { 'content-type': 'text/xml' }).end(answer),
  );
  return {
    url: new URL(provider.baseUrl).origin,
    asked: () => provider.received.map(({ body }) => body).join(''),
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

describe('AWS credentials', () => {
  it('AWS credentials come from a profile', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'aws-'));
    stack.defer(() => rm(folder, { recursive: true }));
    const file = join(folder, 'credentials');
    const secret = simulatedAwsSecret('AKIDPROFILE');
    await writeFile(file, `[gateway]\naws_access_key_id = AKIDPROFILE\naws_secret_access_key = ${secret}\n`);
    const gateway = await startBedrock({ AWS_SHARED_CREDENTIALS_FILE: file, AWS_PROFILE: 'gateway' });
    const ask = await askerAt(gateway);
    expect(await ask()).toBe(200);
    expect(gateway.provider.requests[0]?.headers.authorization).toContain('Credential=AKIDPROFILE/');
  });

  it('AWS credentials come from a web identity', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'aws-'));
    stack.defer(() => rm(folder, { recursive: true }));
    const file = join(folder, 'token');
    await writeFile(file, 'identity');
    const sts = stack.use(await startTokenService());
    const gateway = await startBedrock({
      AWS_WEB_IDENTITY_TOKEN_FILE: file,
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/gateway',
      AWS_REGION: 'eu-central-1',
      AWS_ENDPOINT_URL_STS: sts.url,
    });
    const ask = await askerAt(gateway);
    expect(await ask()).toBe(200);
    expect(gateway.provider.requests[0]?.headers.authorization).toContain('Credential=AKIDWEBIDENTITY/');
    expect(sts.asked()).toContain('WebIdentityToken=identity');
  });

  it('AWS credentials are not needed when the catalog names an API key', async () => {
    const gateway = await startBedrock({}, 'SIMULATED_API_KEY');
    const ask = await askerAt(gateway);
    expect(await ask()).toBe(200);
    expect(gateway.provider.requests[0]?.headers.authorization).toBe(`Bearer ${PROVIDER_CREDENTIAL}`);
  });

  it('missing AWS credentials are one clear log line, and 502 to callers', async () => {
    const gateway = await startBedrock({});
    const ask = await askerAt(gateway);
    expect(await ask()).toBe(502);
    expect(await ask()).toBe(502);
    const lines = gateway.logLines('cannot be fetched');
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).toContain('AWS credentials for eu-central-1');
  });

  it('container credentials are fetched once for a burst of requests, and again later without a failed request', async () => {
    const lastsMs = 3_000;
    const keys = stack.use(await startContainerKeys(lastsMs));
    // The provider accepts them for longer: a busy machine may delay a request that was signed in time.
    keys.next.acceptedMs = 2 * lastsMs;
    const gateway = await startBedrock({ AWS_CONTAINER_CREDENTIALS_FULL_URI: keys.url });
    const ask = await askerAt(gateway);
    const startedAtMs = performance.now();
    expect(await askInBursts(ask, 10, 10)).toEqual([200]);
    // They are fetched again when four fifths of their time are over.
    const periods = Math.floor((performance.now() - startedAtMs) / (0.8 * lastsMs));
    expect(keys.handedOut()).toBeLessThanOrEqual(1 + periods);
    expect(await askUntil(() => keys.handedOut() > 2, ask, 10)).toEqual([200]);
  });

  it('container credentials that expire during a burst of 1,000 requests fail no request, and are fetched one at a time', async () => {
    const lastsMs = 3_000;
    const keys = stack.use(await startContainerKeys(lastsMs));
    // The provider accepts them for longer: a busy machine may delay a request that was signed in time.
    keys.next.acceptedMs = 2 * lastsMs;
    const gateway = await startBedrock({ AWS_CONTAINER_CREDENTIALS_FULL_URI: keys.url });
    const ask = await askerAt(gateway);
    expect(await askInBursts(ask, 50, 50)).toEqual([200]);
    const firstEndsAtMs = Date.now() + keys.next.acceptedMs;
    expect(await askInBursts(ask, 950, 50)).toEqual([200]);
    expect(await askUntil(() => Date.now() >= firstEndsAtMs, ask, 50)).toEqual([200]);
    expect(keys.handedOut()).toBeGreaterThan(1);
    expect(keys.mostAtOnce()).toBe(1);
    expect(gateway.logText()).not.toContain('accepts a credential no more');
  });

  it('credentials that are rejected early are fetched again without a failed request', async () => {
    const keys = stack.use(await startContainerKeys(3_600_000));
    // Their session ends long before they say.
    keys.next.acceptedMs = 11_000;
    const gateway = await startBedrock({ AWS_CONTAINER_CREDENTIALS_FULL_URI: keys.url });
    const ask = await askerAt(gateway);
    expect(await askUntil(() => keys.handedOut() > 1, ask, 10)).toEqual([200]);
    expect(gateway.logText()).toContain('accepts a credential no more');
  });

  it('credentials that cannot be refreshed are used until they expire', async () => {
    const keys = stack.use(await startContainerKeys(10_000));
    const gateway = await startBedrock({ AWS_CONTAINER_CREDENTIALS_FULL_URI: keys.url });
    const ask = await askerAt(gateway);
    expect(await ask()).toBe(200);
    keys.next.isBroken = true;
    const asked = keys.handedOut();
    expect(await askUntil(() => keys.handedOut() > asked, ask, 1)).toEqual([200]);
    keys.next.isBroken = false;
    expect(await ask()).toBe(200);
  });
});
