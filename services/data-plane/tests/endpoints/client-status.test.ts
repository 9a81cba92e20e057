import { request } from 'node:http';
import { until, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { ProviderBreakers } from '../../src/upstream/provider-breakers.ts';

const gateway = withGateway({
  // This provider fails on purpose, time and again.

  overrides: { breakers: new ProviderBreakers(Number.POSITIVE_INFINITY) },
});

const headers = () => ({ authorization: `Bearer ${gateway.rawKey}`, 'content-type': 'application/json' });
const bodyOf = (more: object) =>
  JSON.stringify({ model: 'sim/chat-free', messages: [{ role: 'user', content: 'hello' }], ...more });

/** @returns what the caller was answered, and the request's id */
async function send(more: object): Promise<{ status: number; id: string }> {
  const response = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: headers(),
    body: bodyOf(more),
  });
  // A stream that fails breaks off.
  await response.text().catch(() => undefined);
  return { status: response.status, id: response.headers.get('x-request-id') ?? '' };
}

/** @returns the status and the error code of the receipt, and the status of the provider's last response */
async function statusesOf(id: string) {
  const { status, code, attempts } = await gateway.receiptOf({
    headers: new Headers({ 'x-request-id': id }),
  });
  return { status, code, provider: attempts.at(-1)?.status ?? null };
}

describe("the receipt's status for the caller, and the provider's beside it", () => {
  it.each<[what: string, more: object, Awaited<ReturnType<typeof statusesOf>>]>([
    ['an answer', {}, { status: 200, code: null, provider: 200 }],
    ['a stream', { stream: true }, { status: 200, code: null, provider: 200 }],
    [
      '500 of the provider',
      { simulate: { status: 500 } },
      { status: 502, code: 'upstream_error', provider: 500 },
    ],
    [
      '403 of the provider',
      { simulate: { status: 403 } },
      { status: 502, code: 'upstream_error', provider: 403 },
    ],
    [
      'HTML with 200',
      { simulate: { rubbish: 'html' } },
      { status: 502, code: 'upstream_error', provider: 200 },
    ],
    [
      'a reset',
      { simulate: { reset: 'before_headers' } },
      { status: 502, code: 'upstream_error', provider: null },
    ],
    [
      'a request that the provider rejects',
      { simulate: { status: 422, message: 'no such tool' } },
      { status: 422, code: 'upstream_rejected', provider: 422 },
    ],
    [
      '429 of the provider',
      { simulate: { status: 429 } },
      { status: 429, code: 'upstream_rate_limited', provider: 429 },
    ],
  ])("the receipt of %s has the caller's status and the provider's", async (_what, more, expected) => {
    const { status, id } = await send(more);
    expect(status).toBe(expected.status);
    expect(await statusesOf(id)).toEqual(expected);
  });

  it('the receipt of a broken stream has status 200 and an error code', async () => {
    const { status, id } = await send({ stream: true, simulate: { reset: { after_events: 2 } } });
    expect(status).toBe(200);
    expect(await statusesOf(id)).toEqual({ status: 200, code: 'upstream_error', provider: 200 });
  });

  it('the receipt of a caller that left has status 499', async () => {
    const before = gateway.provider.requests.length;
    const sent = request(`${gateway.baseUrl}/v1/chat/completions`, { method: 'POST', headers: headers() });
    sent.on('error', () => undefined);
    sent.end(bodyOf({ simulate: { hang: 'before_headers' } }));
    await until(() => gateway.provider.requests.length > before);
    sent.destroy();
    let id: string | undefined;
    await until(() => {
      id = /"request_id":"(req_\w+)"[^\n]*"status":499/.exec(gateway.logText())?.[1];
      return id !== undefined;
    });
    expect(await statusesOf(id ?? '')).toMatchObject({ status: 499, code: null, provider: null });
  });
});
