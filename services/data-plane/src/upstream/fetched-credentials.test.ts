import { describe, expect, it } from 'vitest';
import type { CredentialSource, FetchedCredential } from '../credential-sources/fetched-credential.ts';
import { EgressProxy } from '../egress/egress-proxy.ts';
import { FetchedCredentials } from './fetched-credentials.ts';

const QUIET = { error: () => undefined, info: () => undefined };

class Source implements CredentialSource {
  readonly key = 'source';
  readonly name = 'a source';
  fetched = 0;
  lastsMs: number | undefined = 1_000_000;
  failure: Error | undefined;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async fetch(): Promise<FetchedCredential> {
    const secret = `token ${++this.fetched}`;
    if (this.failure !== undefined) throw this.failure;
    const expiresAtMs = this.lastsMs === undefined ? undefined : this.#now() + this.lastsMs;
    return { authenticate: ({ headers }) => ({ ...headers, authorization: secret }), expiresAtMs, secret };
  }

  isStale(status: number): boolean {
    return status === 401;
  }
}

function setUp() {
  const clock = { ms: 1_000 };
  const now = () => clock.ms;
  return {
    clock,
    source: new Source(now),
    credentials: new FetchedCredentials({
      log: QUIET,
      variable: () => undefined,
      egress: new EgressProxy(),
      now,
    }),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('fetched credentials', () => {
  it('are fetched once for concurrent callers, and then returned without a promise', async () => {
    const { credentials, source } = setUp();
    const all = await Promise.all([1, 2, 3].map(() => credentials.get(source)));
    expect(new Set(all.map(({ secret }) => secret))).toEqual(new Set(['token 1']));
    expect(credentials.get(source)).not.toBeInstanceOf(Promise);
    expect(source.fetched).toBe(1);
  });

  it('are renewed ahead of expiry while the old one is used', async () => {
    const { clock, credentials, source } = setUp();
    await credentials.get(source);
    clock.ms += 900_000;
    expect(await credentials.get(source)).toMatchObject({ secret: 'token 1' });
    await settled();
    expect(await credentials.get(source)).toMatchObject({ secret: 'token 2' });
    expect(source.fetched).toBe(2);
  });

  it('that cannot be renewed are used until they expire', async () => {
    const { clock, credentials, source } = setUp();
    await credentials.get(source);
    source.failure = new Error('no identity');
    clock.ms += 900_000;
    for (let round = 0; round < 3; round++) {
      clock.ms += 2_000;
      expect(await credentials.get(source)).toMatchObject({ secret: 'token 1' });
      await settled();
    }
    expect(source.fetched).toBe(4);
  });

  it('expired ones are fetched again before the request', async () => {
    const { clock, credentials, source } = setUp();
    await credentials.get(source);
    clock.ms += 999_000;
    expect(await credentials.get(source)).toMatchObject({ secret: 'token 2' });
  });

  it('are fetched anew once after a refusal, unless they were new', async () => {
    const { clock, credentials, source } = setUp();
    const [first, second] = [await credentials.get(source), await credentials.get(source)];
    expect(first.refused(401, '')).toBe(false);
    clock.ms += 20_000;
    expect(first.refused(500, '')).toBe(false);
    expect(first.refused(401, '')).toBe(true);
    expect(await credentials.get(source)).toMatchObject({ secret: 'token 2' });
    expect(second.refused(401, '')).toBe(true);
    expect(await credentials.get(source)).toMatchObject({ secret: 'token 2' });
    expect(source.fetched).toBe(2);
  });

  it('that expired on the way to the provider are fetched anew, however new they were', async () => {
    const { clock, credentials, source } = setUp();
    source.lastsMs = 1_000;
    const first = await credentials.get(source);
    clock.ms += 1_000;
    expect(first.refused(401, '')).toBe(true);
    expect(await credentials.get(source)).toMatchObject({ secret: 'token 2' });
  });

  it('that cannot be fetched are not fetched again for each request', async () => {
    const { clock, credentials, source } = setUp();
    source.failure = new Error('no identity');
    const ask = async () => await credentials.get(source);
    await expect(ask()).rejects.toMatchObject({ code: 'upstream_error' });
    await expect(ask()).rejects.toMatchObject({ code: 'upstream_error' });
    expect(source.fetched).toBe(1);
    source.failure = undefined;
    clock.ms += 2_000;
    expect(await ask()).toMatchObject({ secret: 'token 2' });
  });
});
