import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { generateApiKey, lookupHash } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { OPENAI_CALLER } from '../http/caller-protocol.ts';
import { keyContextFromMessage } from '../keys/key-context.ts';
import { authenticateKey } from './authenticate-key.ts';

const limits = { freePerMinute: 1, paidPerMinute: 2, readsPerMinute: 3, concurrentStreams: 4 };
const known = keyContextFromMessage({ keyId: 'key_1', accountId: 'acct_1', payer: [], limits });

type Context = Parameters<typeof authenticateKey>[0];
type AuthenticatedExchange = Parameters<typeof authenticateKey>[1];

describe('while the pepper is replaced', () => {
  it.each([
    ['a key in the cache costs one hash', known, 0],
    ['a key that is cached as unknown costs one hash', null, 0],
    ['only a key that has to be looked up costs a second hash', undefined, 1],
  ])('%s', async (_name, cached, reads) => {
    const rawKey = generateApiKey();
    let oldPepperReads = 0;
    const asked: (string | undefined)[] = [];
    const context = {
      pepper: 'new',
      get oldPepper() {
        oldPepperReads++;
        return 'old';
      },
      keys: {
        cached: () => cached,
        resolve: async (...args: [string, string, string?]) => {
          asked.push(args[0], args[2]);
          return { key: known, isStale: false };
        },
      },
      keyWatch: { refusal: undefined },
      openRequests: { add: () => undefined },
      metrics: { keyLookups: { labels: () => ({ inc: () => undefined }) } },
    };
    const req = new IncomingMessage(new Socket());
    req.rawHeaders = ['Authorization', `Bearer ${rawKey}`];
    req.headers.authorization = `Bearer ${rawKey}`;
    const exchange = { req, caller: OPENAI_CALLER, record: { clientIp: '127.0.0.1' } };
    const authenticated = authenticateKey(
      context as unknown as Context,
      exchange as unknown as AuthenticatedExchange,
    );
    if (cached === null) await expect(authenticated).rejects.toThrow(/unknown/);
    else await authenticated;
    expect(oldPepperReads).toBe(reads);
    expect(asked).toEqual(cached === undefined ? [lookupHash('new', rawKey), lookupHash('old', rawKey)] : []);
  });
});
