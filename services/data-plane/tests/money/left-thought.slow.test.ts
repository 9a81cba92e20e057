import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { until, withGateway, withStarted } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { startScriptedProvider } from '../providers/scripted-provider.ts';
import { CHAT_STREAMS, paidCatalog } from './left-responses.ts';
import { expectLedgerAgrees, payingKey } from './money-fixture.ts';

const THINKS_MS = 6_000;
/** Fifty tokens for each second after the second one. */
const THOUGHT = BigInt(((THINKS_MS - 2_000) * 50) / 1_000);
const [chat, messages, responses] = CHAT_STREAMS;
if (chat === undefined || messages === undefined || responses === undefined)
  throw new Error('there is a stream of each API');

let respond: (res: ServerResponse) => unknown;
const provider = withStarted(() => startScriptedProvider((res) => void respond(res)));
const gateway = withGateway(() => ({
  ownPools: true,
  document: () => paidCatalog(provider.baseUrl),
}));

const REASONED = {
  prompt_tokens: 8,
  completion_tokens: 9,
  completion_tokens_details: { reasoning_tokens: 5 },
};
const hidden = { type: 'thinking', thinking: '', signature: '' };
const THINKING = [
  `event: content_block_start\ndata: ${JSON.stringify({ type: 'content_block_start', index: 0, content_block: hidden })}\n\n`,
  `event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n`,
];

it.each([
  { ...chat, before: '' },
  { ...messages, before: THINKING.join('') },
  { ...responses, before: '' },
])('$name costs its hidden thought when its caller leaves after the words', async (route) => {
  const { keyId, rawKey } = await payingKey(gateway, '1000');
  // A model is known to think once a provider has counted that.
  respond = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }];
    res.end(
      JSON.stringify({
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices,
        usage: REASONED,
      }),
    );
  };
  const asked = { model: 'acme/chat', messages: [{ role: 'user', content: 'hi' }] };
  expect((await gateway.ask('chat/completions', asked, { key: rawKey })).status).toBe(200);
  const [begin, words] = route.parts;
  respond = async (res) => {
    res.writeHead(200, { 'content-type': route.contentType });
    res.write(begin);
    await wait(THINKS_MS);
    // The text of Messages is the block after the thought.
    res.write(route.before + (route.before === '' ? words : words.replaceAll('"index":0', '"index":1')));
  };
  const leaving = new AbortController();
  const body = { model: route.model, ...route.fields };
  const response = await gateway.post(route.path, body, { key: rawKey, signal: leaving.signal });
  let text = '';
  try {
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('The answer.')) leaving.abort();
    }
  } catch {
    // The caller has left.
  }
  const record = await gateway.recordOf(response);
  expect(record).toMatchObject({
    key_id: keyId,
    usage_source: 'estimated',
    billing_reason: 'aborted_partial',
  });
  const tokens = BigInt(String(record.output_tokens));
  expect(tokens).toBeGreaterThanOrEqual(THOUGHT);
  expect(tokens).toBeLessThan(THOUGHT * 3n);
  expect(BigInt(String(record.charged))).toBeLessThanOrEqual(BigInt(String(record.held)));
  await until(async () => (await gateway.books.pools()).every(({ held }) => held === 0n));
  await expectLedgerAgrees(gateway);
});
