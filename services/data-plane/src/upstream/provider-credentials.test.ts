import { accessRefused, credentialNotFetched, providerProtocolOf } from '@model-gateway/dialects';
import { providerLimits } from '@model-gateway/shared/errors';
import { beforeEach, describe, expect, it } from 'vitest';
import { affinityKey } from '../affinity/affinity-key.ts';
import type { AffinityKey } from '../affinity/rendezvous.ts';
import type { RoutedProvider } from '../catalog/model-table.ts';
import { ProviderCredentials } from './provider-credentials.ts';

const protocol = providerProtocolOf('openai-compatible', { apis: [] });
const failures = {
  refused: () => refused(401),
  forbidden: () => refused(403),
  notFetched: () => credentialNotFetched(new Error('the token server is away')),
  limited: () => providerLimits(30),
  limitedLong: () => providerLimits(3_600),
};
/** Credentials of other weights than 1. */
const WEIGHTS: Readonly<Record<string, number>> = { THRICE: 3 };
type Answer = 'accepted' | keyof typeof failures;

let answers: Record<string, Answer>;
let clock: { ms: number };
let credentials: ProviderCredentials;

function refused(status: number) {
  return accessRefused(status, { providerId: 'acme', credentialEnv: 'A' });
}

function provider(...variables: string[]): RoutedProvider {
  if (protocol === undefined) throw new Error('there is such a protocol');
  return {
    id: 'acme',
    kind: 'openai-compatible',
    origin: 'https://acme.example',
    pathPrefix: '',
    protocol,
    credentials: variables.map((variable) => ({
      variable,
      source: undefined,
      weight: WEIGHTS[variable] ?? 1,
    })),
    headers: {},
    timeouts: { connectMs: 1, firstByteMs: 1, firstBytePlainMs: undefined, idleMs: 1, totalMs: 1 },
  };
}

const ACME = provider('A', 'B');

/** @returns the variables that were used, in their order, and the failure in the end */
async function ask({
  affinity,
  model = 'small',
  of = ACME,
  repeatable = true,
}: {
  affinity?: AffinityKey;
  model?: string;
  of?: RoutedProvider;
  repeatable?: boolean;
} = {}) {
  const used: string[] = [];
  let failure: unknown;
  await credentials
    .tryCredentials({
      provider: of,
      model,
      affinity,
      attempt: async ({ variable = '' }, accepted) => {
        used.push(variable);
        const answer = answers[variable] ?? 'accepted';
        if (answer !== 'accepted') throw failures[answer]();
        accepted();
      },
      mayRepeat: () => repeatable,
    })
    .catch((thrown: unknown) => {
      failure = thrown;
    });
  return { used: used.join(''), failure };
}

beforeEach(() => {
  answers = {};
  clock = { ms: 0 };
  credentials = new ProviderCredentials(
    (variable) => `value of ${variable}`,
    () => clock.ms,
  );
});

describe('a refused credential', () => {
  it('is tried again by one request after five seconds, and used again once it is accepted', async () => {
    answers = { A: 'refused' };
    expect((await ask()).used).toBe('AB');
    clock.ms = 4_999;
    expect((await ask()).used).toBe('B');
    clock.ms = 5_000;
    expect((await ask()).used).toBe('AB');
    expect((await ask()).used).toBe('B');
    answers = {};
    clock.ms = 10_000;
    expect((await ask()).used).toBe('A');
    expect((await ask()).used).toBe('B');
    expect((await ask()).used).toBe('A');
  });

  it('rests for all models after a 401, and for one model after a 403', async () => {
    answers = { A: 'forbidden' };
    expect((await ask()).used).toBe('AB');
    expect((await ask({ model: 'large' })).used).toBe('AB');
    clock.ms = 20_000;
    answers = { A: 'refused' };
    expect((await ask()).used).toBe('AB');
    expect((await ask({ model: 'new' })).used).toBe('B');
  });

  it('a credential that cannot be fetched rests, too', async () => {
    answers = { A: 'notFetched' };
    expect(await ask()).toEqual({ used: 'AB', failure: undefined });
    expect((await ask({ model: 'large' })).used).toBe('B');
  });

  it('is not tested with a request that cannot be repeated', async () => {
    answers = { A: 'refused' };
    await ask();
    clock.ms = 60_000;
    expect((await ask({ repeatable: false })).used).toBe('B');
    expect((await ask()).used).toBe('AB');
  });

  it('rests on after a change of the catalog, until its provider is removed', async () => {
    answers = { A: 'refused' };
    await ask();
    expect((await ask({ of: provider('C', 'A') })).used).toBe('C');
    expect((await ask({ of: provider('A', 'C') })).used).toBe('C');
    credentials.keepOnly(new Map());
    expect((await ask({ of: provider('A', 'C') })).used).toBe('AC');
  });

  it('rests on after a success of a request that started before the refusal', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const early = credentials.tryCredentials({
      provider: ACME,
      model: 'small',
      attempt: async (_credential, accepted) => {
        await promise;
        accepted();
      },
      mayRepeat: () => true,
    });
    clock.ms = 10;
    answers = { A: 'refused', B: 'accepted' };
    expect((await ask()).used).toBe('B');
    expect((await ask()).used).toBe('AB');
    resolve();
    await early;
    expect((await ask()).used).toBe('B');
  });
});

describe('a limited credential', () => {
  it('rests for the Retry-After of the provider, at most a minute', async () => {
    answers = { A: 'limited' };
    await ask();
    clock.ms = 29_999;
    expect((await ask()).used).toBe('B');
    answers = { A: 'limitedLong' };
    clock.ms = 30_000;
    expect((await ask()).used).toBe('AB');
    clock.ms = 89_999;
    expect((await ask()).used).toBe('B');
    clock.ms = 90_000;
    expect((await ask()).used).toBe('AB');
  });

  it('leads to an error with the shortest wait of all credentials, tried or not', async () => {
    answers = { A: 'limited', B: 'limitedLong' };
    expect((await ask()).failure).toMatchObject({
      code: 'upstream_rate_limited',
      headers: { 'retry-after': '30' },
    });
    clock.ms = 10_000;
    answers = { A: 'limitedLong', B: 'limitedLong' };
    const { failure, used } = await ask();
    expect(used).toBe('A');
    expect(failure).toMatchObject({ headers: { 'retry-after': '3590' } });
  });

  it('is used before a refused one if both rest, and its limit is reported', async () => {
    answers = { A: 'limited', B: 'refused' };
    await ask();
    clock.ms = 1_000;
    const { failure, used } = await ask();
    expect(used).toBe('A');
    expect(failure).toMatchObject({ code: 'upstream_rate_limited' });
    answers = { A: 'accepted', B: 'refused' };
    expect((await ask()).failure).toBeUndefined();
  });
});

describe('the credential of a conversation', () => {
  const keys = Array.from({ length: 40 }, (_, index) => affinityKey('acct_1', 'session', `s${index}`));

  const of = provider('A', 'B', 'C');

  async function credentialOf(affinity: AffinityKey): Promise<string> {
    return (await ask({ affinity, of })).used;
  }

  it('is the same for all its requests, and requests without a conversation take turns beside them', async () => {
    const chosen = await Promise.all(keys.map(credentialOf));
    expect(new Set(chosen)).toEqual(new Set(['A', 'B', 'C']));
    expect((await ask({ of })).used).toBe('A');
    expect(await Promise.all(keys.map(credentialOf))).toEqual(chosen);
    expect((await ask({ of })).used).toBe('B');
  });

  it('is another one while its own rests, and its own again after one of its requests has tested it', async () => {
    const chosen = await Promise.all(keys.map(credentialOf));
    answers = { B: 'refused' };
    const during: string[] = [];
    for (const key of keys) during.push((await credentialOf(key)).slice(-1));
    for (const [index, own] of chosen.entries()) {
      if (own === 'B') expect(during[index]).not.toBe('B');
      else expect(during[index]).toBe(own);
    }
    clock.ms = 5_000;
    answers = {};
    for (const [index, key] of keys.entries()) expect(await credentialOf(key)).toBe(chosen[index]);
  });
});

it('credentials take turns in proportion to their weights', async () => {
  const of = provider('A', 'THRICE');
  let used = '';
  for (let time = 0; time < 8; time++) used += (await ask({ of })).used[0];
  expect(used).toBe('ATTTATTT');
});

it('a failure that does not concern the credential leads to no other one', async () => {
  const failure = new Error('the connection broke');
  const attempt = () => Promise.reject(failure);
  const result = credentials.tryCredentials({
    provider: ACME,
    model: 'small',
    attempt,
    mayRepeat: () => true,
  });
  await expect(result).rejects.toBe(failure);
});
