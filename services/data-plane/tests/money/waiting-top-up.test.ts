import type { ServerResponse } from 'node:http';
import { until, withGateway, withStarted } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { startScriptedProvider } from '../providers/scripted-provider.ts';
import { holdPools } from './hold-pools.ts';
import { paidCatalog } from './left-responses.ts';
import { expectLedgerAgrees, payingKey } from './money-fixture.ts';

/** More than the first 4,096 tokens cover. */
const LARGE = 'x'.repeat(16_000);

let respond: (res: ServerResponse) => void;
const provider = withStarted(() => startScriptedProvider((res) => respond(res)));
const gateway = withGateway(() => ({
  ownPools: true,
  catalog: true,
  document: () => paidCatalog(provider.baseUrl),
}));

const chunk = (content: string) =>
  `data: ${JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content } }],
  })}\n\n`;

/** Starts a stream whose second event waits for more money. */
async function waitingStream() {
  const { keyId, rawKey } = await payingKey(gateway, '0.06');
  const sent = Promise.withResolvers<ServerResponse>();
  respond = (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(chunk('Hello.'));
    sent.resolve(res);
  };
  const leaving = new AbortController();
  const body = {
    model: 'acme/chat',
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
    max_tokens: 30_000,
  };
  const response = await gateway.post('chat/completions', body, { key: rawKey, signal: leaving.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  const pools = await holdPools(gateway.books);
  const res = await sent.promise;
  res.write(chunk(LARGE));
  await pools.waiting();
  return { keyId, leaving, pools, reader, res, response };
}

it('an event that waits for money is not charged if its caller leaves meanwhile', async () => {
  const { leaving, pools, res, response } = await waitingStream();
  leaving.abort();
  await until(() => Promise.resolve(res.closed));
  await pools[Symbol.asyncDispose]();
  const row = await gateway.recordOf(response);
  expect(row).toMatchObject({ output_tokens: 2n, billing_reason: 'aborted_partial' });
  await expectLedgerAgrees(gateway);
});

it('an event that waits for money is not charged if its key is revoked meanwhile', async () => {
  const { keyId, pools, res, response } = await waitingStream();
  await gateway.admin.call(10_000, 'accounts', 'revokeKey', { keyId });
  await until(() => Promise.resolve(res.closed));
  await pools[Symbol.asyncDispose]();
  const row = await gateway.recordOf(response);
  expect(row).toMatchObject({ output_tokens: 2n, billing_reason: 'aborted_partial' });
  await expectLedgerAgrees(gateway);
});

it('an event that waits for money is charged once it is delivered', async () => {
  const { pools, reader, res, response } = await waitingStream();
  await pools[Symbol.asyncDispose]();
  res.end(`${chunk('')}data: [DONE]\n\n`);
  let text = '';
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
    text += Buffer.from(next.value).toString();
  expect(text).toContain(LARGE);
  const row = await gateway.recordOf(response);
  expect(row).toMatchObject({ output_tokens: BigInt(Math.ceil((LARGE.length + 6) / 4)) });
  await expectLedgerAgrees(gateway);
});
