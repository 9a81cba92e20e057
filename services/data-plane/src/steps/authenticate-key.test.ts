import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { generateApiKey, lookupHash } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { OPENAI_CALLER } from '../http/caller-protocol.ts';
import { type KeyContext, keyContextFromMessage } from '../keys/key-context.ts';
import { KnownHashes } from '../keys/known-hashes.ts';
import { authenticateKey } from './authenticate-key.ts';

const limits = { freePerMinute: 1, paidPerMinute: 2, readsPerMinute: 3, concurrentStreams: 4 };
const known = keyContextFromMessage({ keyId: 'key_1', accountId: 'acct_1', payer: [], limits });

type Context = Parameters<typeof authenticateKey>[0];
type Exchange = Parameters<typeof authenticateKey>[1];

/** Creates a data plane whose cache has what `setCached` sets, and that counts how often keys are hashed. */
function dataPlane() {
  let cached: KeyContext | null | undefined;
  const counts = { hashes: 0, oldHashes: 0 };
  const asked: (string | undefined)[] = [];
  const context = {
    get pepper() {
      counts.hashes++;
      return 'new';
    },
    get oldPepper() {
      counts.oldHashes++;
      return 'old';
    },
    keys: {
      cached: () => cached,
      resolve: async (...args: [string, string, string?]) => {
        asked.push(args[0], args[2]);
        return { key: known, isStale: false };
      },
    },
    knownHashes: new KnownHashes(),
    keyWatch: { refusal: undefined },
    openRequests: { add: () => () => undefined },
    metrics: { keyLookups: { labels: () => ({ inc: () => undefined }) } },
  };
  const authenticate = (rawKey: string) => {
    const req = new IncomingMessage(new Socket());
    req.rawHeaders = ['Authorization', `Bearer ${rawKey}`];
    req.headers.authorization = `Bearer ${rawKey}`;
    const exchange = { req, caller: OPENAI_CALLER, record: { clientIp: '127.0.0.1' }, ends: [] };
    return authenticateKey(context as unknown as Context, exchange as unknown as Exchange);
  };
  const setCached = (key: KeyContext | null | undefined) => {
    cached = key;
  };
  return { authenticate, asked, counts, setCached };
}

describe('a cached key', () => {
  it('is hashed with the pepper once, and later requests with it get no promise', async () => {
    const { authenticate, counts, setCached } = dataPlane();
    const rawKey = generateApiKey();
    setCached(known);
    for (let request = 0; request < 3; request++)
      expect(authenticate(rawKey)).toMatchObject({ record: { key: known, keyIsStale: false } });
    expect(counts).toEqual({ hashes: 1, oldHashes: 0 });
    await authenticate(generateApiKey());
    expect(counts.hashes).toBe(2);
  });

  it('is refused once the cache has it as unknown, and looked up once the cache has dropped it', async () => {
    const { asked, authenticate, counts, setCached } = dataPlane();
    const rawKey = generateApiKey();
    setCached(known);
    await authenticate(rawKey);
    setCached(null);
    expect(() => authenticate(rawKey)).toThrow(/unknown/);
    setCached(undefined);
    await authenticate(rawKey);
    expect(asked).toEqual([lookupHash('new', rawKey), lookupHash('old', rawKey)]);
    expect(counts.hashes).toBe(1);
  });

  it.each([
    ['without its last character', (key: string) => key.slice(0, -1)],
    ['with another character', (key: string) => key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')],
    ['with something behind it', (key: string) => `${key} x`],
    ['with a space before the end', (key: string) => `${key.slice(0, -1)} `],
  ])('is refused %s', async (_name, change) => {
    const { authenticate, setCached } = dataPlane();
    const rawKey = generateApiKey();
    setCached(known);
    await authenticate(rawKey);
    expect(() => authenticate(change(rawKey))).toThrow(/malformed/);
  });
});

it('an unknown key is hashed on each request, so that it evicts no existing key', () => {
  const { authenticate, counts, setCached } = dataPlane();
  const rawKey = generateApiKey();
  setCached(null);
  for (let request = 0; request < 3; request++) expect(() => authenticate(rawKey)).toThrow(/unknown/);
  expect(counts).toEqual({ hashes: 3, oldHashes: 0 });
});

describe('while the pepper is replaced', () => {
  it('only a key that has to be looked up is hashed with the old pepper', async () => {
    const { asked, authenticate, setCached } = dataPlane();
    const rawKey = generateApiKey();
    setCached(undefined);
    await authenticate(rawKey);
    expect(asked).toEqual([lookupHash('new', rawKey), lookupHash('old', rawKey)]);
  });
});
