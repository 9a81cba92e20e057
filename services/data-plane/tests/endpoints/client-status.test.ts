import { request } from 'node:http';
import { chatBody, until, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { withoutBreakers } from '../providers/without-breakers.ts';

const gateway = withGateway({
  overrides: withoutBreakers(),
});

/** @returns the status and the error code of the receipt, and the status of the provider's last response */
async function statusesOf(response: Pick<Response, 'headers'>) {
  const { status, code, attempts } = await gateway.receiptOf(response);
  return { status, code, provider: attempts.at(-1)?.status ?? null };
}

describe("the receipt's status for the caller, and the provider's beside it", () => {
  it.each<[what: string, more: object, status: number, code: string | null, provider: number | null]>([
    ['an answer', {}, 200, null, 200],
    ['a stream', { stream: true }, 200, null, 200],
    ['500 of the provider', { simulate: { status: 500 } }, 502, 'upstream_error', 500],
    ['403 of the provider', { simulate: { status: 403 } }, 502, 'upstream_error', 403],
    ['HTML with 200', { simulate: { rubbish: 'html' } }, 502, 'upstream_error', 200],
    ['a reset', { simulate: { reset: 'before_headers' } }, 502, 'upstream_error', null],
    ['a rejected request', { simulate: { status: 422, message: 'no tool' } }, 422, 'upstream_rejected', 422],
    ['429 of the provider', { simulate: { status: 429 } }, 429, 'upstream_rate_limited', 429],
  ])('the receipt of %s has the caller’s status and the provider’s', async (_what, more, status, ...rest) => {
    const response = await gateway.chat(more);
    expect(response.status).toBe(status);
    const [code, provider] = rest;
    expect(await statusesOf(response)).toEqual({ status, code, provider });
  });

  it('the receipt of a broken stream has status 200 and an error code', async () => {
    const response = await gateway.chat({ stream: true, simulate: { reset: { after_events: 2 } } });
    expect(response.status).toBe(200);
    expect(await statusesOf(response)).toEqual({ status: 200, code: 'upstream_error', provider: 200 });
  });

  it('the receipt of a caller that left has status 499', async () => {
    const before = gateway.provider.requests.length;
    const headers = { authorization: `Bearer ${gateway.rawKey}`, 'content-type': 'application/json' };
    const sent = request(`${gateway.baseUrl}/v1/chat/completions`, { method: 'POST', headers });
    sent.on('error', () => undefined);
    sent.end(JSON.stringify(chatBody({ simulate: { hang: 'before_headers' } })));
    await until(() => gateway.provider.requests.length > before);
    sent.destroy();
    let id: string | undefined;
    await until(() => {
      id = /"request_id":"(req_\w+)"[^\n]*"status":499/.exec(gateway.logText())?.[1];
      return id !== undefined;
    });
    const left = { headers: new Headers({ 'x-request-id': id ?? '' }) };
    expect(await statusesOf(left)).toMatchObject({ status: 499, code: null, provider: null });
  });
});
