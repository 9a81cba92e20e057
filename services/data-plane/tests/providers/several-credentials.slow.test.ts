import type { CatalogDocumentInput } from '@model-gateway/shared';
import { envelopeOf, modelEntry, until, usageOf, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MATRIX_KINDS } from '../matrix/kinds.ts';
import { expectLedgerAgrees } from '../money/money-fixture.ts';

const FIRST = 'first-credential-0123456789';
const SECOND = 'second-credential-0123456789';
const BOTH = ['FIRST_KEY', 'SECOND_KEY'];
const PRICING = { input_per_million_usd: '1', output_per_million_usd: '2' };
/** Each test has its own provider, so that the gateway knows nothing of its credentials from another test. */
const TESTS = [
  ...['load', 'revoked', 'limited', 'all-limited', 'all-refused', 'back', 'burst', 'models', 'secret'],
  ...['upload', 'spare'],
] as const;
/** Without Vertex, whose credential is not sent as it is. */
const KINDS = MATRIX_KINDS.filter(({ kind }) => kind !== 'vertex');
const nameOf = (title: string) => title.toLowerCase().replaceAll(' ', '-');

function documentAt(baseUrl: string): CatalogDocumentInput {
  const own = { name: 'Own', kind: 'openai-compatible' as const, base_url: baseUrl, credential_env: BOTH };
  // All requests here begin with the same message: without this they would stay with one credential.
  const chat = { capability: 'chat', tier: 'paid', pricing: PRICING, affinity: 'none' } as const;
  const model = (id: string, ...upstreams: string[]) =>
    modelEntry(id, Object.fromEntries(upstreams.map((one) => [one, 'sim-chat-pro'])), chat);
  return {
    providers: [
      ...TESTS.map((id) => ({ ...own, id })),
      { ...own, id: 'half', credential_env: ['UNSET_KEY', 'SECOND_KEY'] },
      { ...own, id: 'spaced', credential_env: ['BLANK_KEY', 'LINE_BREAK_KEY'] },
      { ...own, id: 'stand-in', credential_env: 'STAND_IN_KEY' },
      { ...own, id: 'recorder', apis: ['chat', 'responses'] },
      ...KINDS.map(({ kind, provider, title }) => ({
        ...provider(baseUrl),
        ...{ id: nameOf(title), name: title, kind, credential_env: BOTH },
      })),
    ],
    models: [
      ...TESTS.map((id) => model(`own/${id}`, id)),
      model('own/half', 'half'),
      model('own/spaced', 'spaced'),
      model('own/recorder', 'recorder'),
      model('own/with-stand-in', 'spare', 'stand-in'),
      { ...model('own/other', 'models'), upstreams: [{ provider: 'models', model: 'sim-chat-free' }] },
      {
        ...{ id: 'own/upload', name: 'Upload', capability: 'transcription' as const, tier: 'free' as const },
        upstreams: [{ provider: 'upload', model: 'sim-transcribe-free' }],
      },
      ...KINDS.map(({ title, upstreamModel }) => ({
        ...model(`kind/${nameOf(title)}`),
        upstreams: [{ provider: nameOf(title), model: upstreamModel }],
      })),
    ].filter(({ id }, index, all) => all.findLastIndex((other) => other.id === id) === index),
  };
}

const gateway = withGateway({
  provider: { apiKey: [FIRST, SECOND, 'stand-in-credential'], tokenDelayMs: 0 },
  environment: {
    ...{ FIRST_KEY: FIRST, SECOND_KEY: SECOND, STAND_IN_KEY: 'stand-in-credential' },
    ...{ LINE_BREAK_KEY: `${SECOND}\n`, BLANK_KEY: ' ' },
  },
  document: documentAt,
  // A response that is not found is taken at once for one that is gone.
  overrides: { background: { firstMs: 5, maxMs: 20, unknownMs: 0, giveUpMs: 60_000, adoptMs: 5_000 } },
});

async function chat(model: string, extra: object = {}) {
  const answer = await gateway.chat({ model, max_tokens: 5, ...extra });
  return { ...answer, id: answer.headers.get('x-request-id') ?? '' };
}

/** Each credential that the provider was sent, in the order of the requests. */
const sent = () =>
  gateway.provider.requests.map(({ headers }) => {
    const text = JSON.stringify(headers);
    return text.includes(FIRST) ? 'first' : text.includes(SECOND) ? 'second' : 'other';
  });
const countOf = (credential: string) => sent().filter((each) => each === credential).length;
const refusals = (provider: string) =>
  gateway.logLines(`"provider":"${provider}"`, '"msg":"a provider refuses the credential');

async function attemptsOf(requestId: string) {
  await usageOf(gateway.books, requestId);
  const { attempts } = await gateway.admin.call(10_000, 'billing', 'getReceipt', { requestId });
  return attempts.map(({ credentialEnv, httpStatus }) => [credentialEnv, httpStatus]);
}

describe('two credentials of a provider', () => {
  it('two credentials share the load', async () => {
    await Promise.all(Array.from({ length: 40 }, () => chat('own/load')));
    expect([countOf('first'), countOf('second')]).toEqual([20, 20]);
  });

  it('the other credential serves when one is not set, and the log says which to set', async () => {
    expect((await chat('own/half')).status).toBe(200);
    expect(gateway.logLines('"half"')).toContainEqual(
      expect.objectContaining({
        provider: 'half',
        variable: 'UNSET_KEY',
        msg: expect.stringMatching(/^a provider is used with the rest of its credentials: set this variable/),
      }),
    );
  });

  it('a credential that ends in a line break serves without it, beside a blank one', async () => {
    for (let count = 0; count < 4; count++) {
      const { id, status } = await chat('own/spaced');
      expect(status).toBe(200);
      expect(await attemptsOf(id)).toEqual([['LINE_BREAK_KEY', 200]]);
    }
    expect(sent()).toEqual(Array.from({ length: 4 }, () => 'second'));
    expect(gateway.logLines('"spaced"')).toContainEqual(expect.objectContaining({ variable: 'BLANK_KEY' }));
  });

  it('both credentials are removed from a response, whichever was sent', async () => {
    const content = `Ours are ${FIRST} and ${SECOND}.`;
    for (const _ of BOTH) {
      const { body, status } = await chat('own/secret', { max_tokens: 500, simulate: { content } });
      expect(status).toBe(200);
      expect(body).toContain('Ours are [redacted] and [redacted].');
    }
    expect(sent().sort()).toEqual(['first', 'second']);
    for (const _ of BOTH) {
      const refused = await chat('own/secret', { simulate: { status: 400, message: content } });
      expect(envelopeOf(refused).message).toBe('Ours are [redacted] and [redacted].');
    }
  });
});

describe('a credential that its provider rejects', () => {
  it.each(KINDS)(
    'the other credential serves after a rejection, plain and streamed: $title',
    async ({ title }) => {
      const provider = nameOf(title);
      gateway.provider.revokeKey(FIRST);
      for (const stream of [false, true, false, true]) {
        const { body, status } = await chat(`kind/${provider}`, { stream });
        expect(status, body).toBe(200);
      }
      // A refusal that concerns all models is learnt once; one of 403 may be of this model, and is learnt as
      // well.
      expect([countOf('first'), countOf('second')]).toEqual([1, 4]);
      expect(refusals(provider)).toEqual([expect.objectContaining({ credential_env: 'FIRST_KEY' })]);
    },
  );

  it('a rejected credential is on the receipt and in the log, and is no failure of the provider', async () => {
    gateway.provider.revokeKey(FIRST);
    let { id } = await chat('own/revoked');
    while (countOf('first') === 0) ({ id } = await chat('own/revoked'));
    expect(await attemptsOf(id)).toEqual([
      ['FIRST_KEY', 401],
      ['SECOND_KEY', 200],
    ]);
    const line = gateway.logLines(id, '"msg":"request"').at(-1);
    expect(line).toMatchObject({
      credential_env: 'SECOND_KEY',
      attempts: [
        { provider: 'revoked', credential_env: 'FIRST_KEY', upstream_status: 401 },
        { provider: 'revoked', credential_env: 'SECOND_KEY', upstream_status: 200 },
      ],
    });
    const rows = () =>
      gateway.books.query(
        `SELECT coalesce(sum(attempts), 0)::int AS n, coalesce(sum(failed_attempts), 0)::int AS failed
         FROM model_minutes WHERE provider_id = 'revoked'`,
      );
    await until(async () => Number((await rows())[0]?.n) >= 2);
    expect((await rows())[0]?.failed).toBe(0);
    expect(gateway.logText()).not.toMatch(/credential-0123456789/);
  });

  it('an Anthropic account without credit counts as rejected, although Anthropic answers 400', async () => {
    const message =
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.';
    const model = 'kind/anthropic';
    gateway.provider.setFaultOfKey(FIRST, { status: 400, message });
    // Another test may have had one of them refused: each is tried again soon.
    await until(async () => {
      expect((await chat(model)).status).toBe(200);
      return countOf('first') > 0;
    });
    gateway.provider.setFaultOfKey(SECOND, { status: 400, message });
    const refused = await chat(model);
    expect(refused.status).toBe(502);
    expect(envelopeOf(refused).message).toMatch(/its operator has to act\.$/);
    expect(refused.body).not.toContain('credit balance');
  });

  it('a rejected credential is used again once it is accepted', async () => {
    gateway.provider.revokeKey(FIRST);
    await chat('own/back');
    await chat('own/back');
    gateway.provider.restoreKey(FIRST);
    gateway.provider.clear();
    expect((await chat('own/back')).status).toBe(200);
    expect(countOf('first')).toBe(0);
    await until(async () => {
      expect((await chat('own/back')).status).toBe(200);
      return countOf('first') > 0;
    });
    gateway.provider.clear();
    for (let count = 0; count < 4; count++) await chat('own/back');
    expect(countOf('first')).toBe(2);
  });

  it('an upload that cannot be sent twice does not try a rejected credential', async () => {
    gateway.provider.revokeKey(FIRST);
    const upload = async (bytes: number) => {
      const form = new FormData();
      form.set('model', 'own/upload');
      form.set('file', new Blob([new Uint8Array(bytes)]), 'a.wav');
      return (await gateway.ask('audio/transcriptions', form)).status;
    };
    while (countOf('first') === 0) await upload(10);
    for (let count = 0; count < 6; count++) expect(await upload(3_000_000)).toBe(200);
    expect(countOf('first')).toBe(1);
  });

  it('a rejection during a burst costs no caller a response, and each is charged once', async () => {
    const CALLS = 120;
    const { rawKey: own } = await gateway.createKey();
    const ask = async (stream: boolean) => {
      const response = await gateway.post(
        'chat/completions',
        {
          ...{ model: 'own/burst', stream, max_tokens: 5, simulate: { delay_ms: 20 } },
          messages: [{ role: 'user', content: 'hi' }],
        },
        { key: own },
      );
      const body = await response.text();
      if (response.status !== 200 || (stream && !body.includes('[DONE]'))) return body;
      return 'answered';
    };
    const first = Array.from({ length: CALLS / 2 }, (_, index) => ask(index % 2 === 0));
    await until(() => gateway.provider.requests.length > CALLS / 4);
    gateway.provider.revokeKey(FIRST);
    const second = Array.from({ length: CALLS / 2 }, (_, index) => ask(index % 2 === 0));
    expect(new Set(await Promise.all([...first, ...second]))).toEqual(new Set(['answered']));
    expect(countOf('first')).toBeGreaterThan(0);
    const rows = () =>
      gateway.books.query(
        `SELECT count(*)::int AS n, count(DISTINCT request_id)::int AS requests, count(DISTINCT charged)::int AS prices,
           min(charged)::int AS charged FROM usage_records WHERE model_id = 'own/burst'`,
      );
    await until(async () => Number((await rows())[0]?.n) >= CALLS);
    expect((await rows())[0]).toMatchObject({ n: CALLS, requests: CALLS, prices: 1 });
    expect(Number((await rows())[0]?.charged)).toBeGreaterThan(0);
    await expectLedgerAgrees(gateway);
  });
});

describe('a credential that its provider rate-limits', () => {
  it('the other credential serves after a 429, and the first rests as long as the provider says', async () => {
    gateway.provider.setFaultOfKey(FIRST, { status: 429, retry_after: 30 });
    for (let count = 0; count < 8; count++) {
      const { body, status } = await chat('own/limited', { stream: count % 2 === 0 });
      expect(status, body).toBe(200);
    }
    expect([countOf('first'), countOf('second')]).toEqual([1, 8]);
    expect(refusals('limited')).toEqual([]);
  });

  it('a limited credential rests for the limited model only', async () => {
    gateway.provider.setFaultOfKey(FIRST, { status: 429, retry_after: 30 });
    await chat('own/models');
    await chat('own/models');
    gateway.provider.clear();
    for (let count = 0; count < 4; count++) expect((await chat('own/other')).status).toBe(200);
    expect([countOf('first'), countOf('second')]).toEqual([2, 2]);
  });

  it('the caller gets 429 with the shortest wait when all credentials are limited', async () => {
    gateway.provider.setFaultOfKey(FIRST, { status: 429, retry_after: 40 });
    gateway.provider.setFaultOfKey(SECOND, { status: 429, retry_after: 25 });
    const answer = await chat('own/all-limited');
    expect(answer.status).toBe(429);
    expect(envelopeOf(answer).code).toBe('upstream_rate_limited');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(15);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(25);
    expect(sent().sort()).toEqual(['first', 'second']);
    for (let count = 0; count < 3; count++) expect((await chat('own/all-limited')).status).toBe(429);
    expect(gateway.provider.requests).toHaveLength(5);
  });
});

describe('credentials that are all rejected or limited', () => {
  it('the error says that the operator has to act, and the log has each rejected credential', async () => {
    gateway.provider.revokeKey(FIRST);
    gateway.provider.revokeKey(SECOND);
    const answer = await chat('own/all-refused');
    expect(answer.status).toBe(502);
    expect(envelopeOf(answer).message).toMatch(/its operator has to act\.$/);
    expect(
      refusals('all-refused')
        .map(({ credential_env }) => credential_env)
        .sort(),
    ).toEqual(BOTH);
    expect(sent().sort()).toEqual(['first', 'second']);
  });

  it('another provider of the model serves after all credentials', async () => {
    gateway.provider.setFaultOfKey(FIRST, { status: 429 });
    gateway.provider.revokeKey(SECOND);
    const { id, status } = await chat('own/with-stand-in');
    expect(status).toBe(200);
    expect((await attemptsOf(id)).map(([variable]) => variable)).toEqual([
      expect.stringMatching(/^(FIRST|SECOND)_KEY$/),
      expect.stringMatching(/^(FIRST|SECOND)_KEY$/),
      'STAND_IN_KEY',
    ]);
  });
});

describe('a response that one of two accounts stores', () => {
  const responses = async (path: string, body?: object) => {
    const response = await fetch(`${gateway.baseUrl}/v1/responses${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${gateway.rawKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = z.looseObject({ id: z.string().optional() }).parse(await response.json());
    return {
      status: response.status,
      id: answer.id ?? '',
      requestId: response.headers.get('x-request-id') ?? '',
    };
  };

  it('a background response is polled with the credential of its account', async () => {
    const { requestId, status } = await responses('', {
      model: 'own/recorder',
      input: 'hi',
      background: true,
    });
    expect(status).toBe(200);
    gateway.provider.setFaultOfKey(sent()[0] === 'first' ? SECOND : FIRST, {
      ...{ status: 404, message: 'Response not found.' },
    });
    expect(await usageOf(gateway.books, requestId)).toMatchObject({ usage_source: 'provider' });
    expect([countOf('first'), countOf('second')].every((count) => count > 0)).toBe(true);
  });

  it('a stored response is read with the credential of its account, and 404 when none finds it', async () => {
    const { id } = await responses('', { model: 'own/recorder', input: 'hi' });
    const other = sent()[0] === 'first' ? SECOND : FIRST;
    const notFound = { status: 404, message: 'Response not found.' };
    gateway.provider.setFaultOfKey(other, notFound);
    for (let count = 0; count < 4; count++) {
      expect((await responses(`/${id}`)).status).toBe(200);
      const next = await responses('', { model: 'own/recorder', input: 'on', previous_response_id: id });
      expect(next.status).toBe(200);
    }
    expect(refusals('recorder')).toEqual([]);
    for (const key of [FIRST, SECOND]) gateway.provider.setFaultOfKey(key, notFound);
    expect((await responses(`/${id}`)).status).toBe(404);
    for (const key of [FIRST, SECOND]) gateway.provider.setFaultOfKey(key, {});
    expect((await responses(`/${id}`)).status).toBe(200);
  });
});
