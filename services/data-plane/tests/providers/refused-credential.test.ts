import {
  chatBody,
  envelopeOf,
  simulatedCatalog,
  startGatewayWithKey,
  until,
  untilWithin,
  withGateway,
} from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const FRESH_MS = 5_000;
const statuses = z.object({
  data: z.array(
    z.looseObject({ id: z.string(), status: z.string(), sentence: z.string().nullable().optional() }),
  ),
});

const gateway = withGateway({
  catalog: true,
  environment: { EXPIRED_API_KEY: 'this-one-has-expired' },
  document: (baseUrl) => {
    const { models, providers } = simulatedCatalog(baseUrl);
    const expired = providers.map((provider) => ({
      ...provider,
      id: 'expired',
      name: 'Expired',
      credential_env: 'EXPIRED_API_KEY',
    }));
    const spared = models.map((model) =>
      model.id === 'sim/embed-free'
        ? {
            ...model,
            upstreams: [
              { provider: 'expired', model: 'any', priority: 1 },
              ...model.upstreams.map((upstream) => ({ ...upstream, priority: 2 })),
            ],
          }
        : model,
    );
    return { providers: [...providers, ...expired], models: spared };
  },
});

async function chat(simulate: object, model = 'sim/chat-free') {
  const response = await gateway.post('chat/completions', chatBody({ model, simulate }));
  return { status: response.status, headers: response.headers, body: await response.text() };
}
const operatorLines = () => gateway.logLines('refuses the credential of the gateway');

describe('a provider that refuses the credential of the gateway', () => {
  it.each([401, 403])(
    'a caller is told that the operator has to act, and not to retry, after %i',
    async (status) => {
      const answer = await chat({ status, message: 'Incorrect API key provided: it has no access.' });
      expect(answer.status).toBe(502);
      expect(envelopeOf(answer)).toMatchObject({ type: 'upstream_error', code: 'upstream_error' });
      expect(envelopeOf(answer).message).toMatch(/Retrying does not help: its operator has to act\.$/);
      expect(answer.headers.get('retry-after')).toBeNull();
      expect(answer.headers.get('x-should-retry')).toBe('false');
      expect(answer.body).not.toMatch(/SIMULATED_API_KEY|Incorrect/);
    },
  );

  it("the log names the credential's variable, once and not with every call", async () => {
    for (let count = 0; count < 3; count++) await chat({ status: 401 });
    await until(() => operatorLines().length > 0);
    expect(operatorLines()).toHaveLength(1);
    expect(operatorLines()[0]).toMatchObject({
      provider: 'sim',
      credential_env: 'SIMULATED_API_KEY',
      upstream_status: 401,
    });
    expect(gateway.logText()).toContain(
      'the provider sim answered 401 to a request with the credential of SIMULATED_API_KEY',
    );
  });

  it('the status page shows an outage, whatever the status of the refusal', async () => {
    for (let count = 0; count < 4; count++) await chat({ status: 403 }, 'sim/chat-free');
    const row = async () => {
      const answer = await fetch(`http://127.0.0.1:${gateway.catalog?.port}/v1/status/models`);
      return statuses.parse(await answer.json()).data.find(({ id }) => id === 'sim/chat-free');
    };
    await untilWithin(FRESH_MS, async () => (await row())?.status === 'major_outage');
    expect((await row())?.sentence).toMatch(/^Failing since .* answers in the last 5 minutes failed\.$/);
  });

  it('the log names a rejected credential when another provider helped and no caller noticed', async () => {
    const response = await gateway.post('embeddings', {
      model: 'sim/embed-free',
      input: 'hi',
    });
    expect(response.status).toBe(200);
    expect(operatorLines().at(-1)).toMatchObject({ credential_env: 'EXPIRED_API_KEY' });
  });

  it('the 503 of the open circuit breaker still says that the operator has to act', async () => {
    let answer = await chat({ status: 401 });
    await until(async () => {
      const asked = gateway.provider.requests.length;
      answer = await chat({ status: 401 });
      return gateway.provider.requests.length === asked;
    });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(envelopeOf(answer).message).toContain('its operator has to act');
    expect(answer.headers.get('retry-after')).toBeNull();
  });
});

it.each([
  [403, 'Your input was flagged by our moderation.'],
  [403, '<h1>Sorry, you have been blocked</h1>'],
  [403, 'Your request was blocked.'],
  [402, 'This request requires more credits, or fewer max_tokens.'],
  [404, 'There is no such model.'],
])('a %i that may be about the request advises no retry, and blames nobody else', async (status, said) => {
  await using lone = await startGatewayWithKey();
  const { body, status: answered } = await lone.chat({ simulate: { status, message: said } });
  expect(answered).toBe(502);
  const { message } = envelopeOf({ body });
  expect(message).toContain('Retrying the request unchanged does not help');
  expect(message).not.toContain('operator');
  expect(lone.logText()).not.toContain('refuses the credential of the gateway');
});
