import {
  modelEntry,
  providerEntry,
  withGateway,
  withoutCredential,
  withStarted,
} from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { json, startScriptedProvider } from './scripted-provider.ts';

/** A server without `stream_options` and `[DONE]`, whose usage is elsewhere. */
const traits = { stream_usage: false, done_marker: false, usage_at: 'x.usage' } as const;
const provider = withStarted(startScriptedProvider);
const gateway = withGateway(() => ({
  document: () => ({
    providers: [withoutCredential(providerEntry('acme', provider.baseUrl, { traits }))],
    models: [modelEntry('acme/base', { acme: 'base' }, { capability: 'completions' })],
  }),
}));

const USAGE = { prompt_tokens: 3, completion_tokens: 5 };
const chunk = (index: number, finish_reason: string | null, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', object: 'text_completion', created: 1, model: 'base', choices: [{ index, text: 'a', finish_reason }], ...more })}\n\n`;
const ask = (fields: object) => gateway.ask('completions', { model: 'acme/base', prompt: 'b', ...fields });
const metered = ({ headers }: { headers: Headers }) =>
  gateway.logLines(headers.get('x-request-id') ?? '', '"msg":"request"')[0];

it('a stream ends when all of its choices have, and its usage is read where the server has it', async () => {
  const body = [chunk(0, null), chunk(1, 'stop'), chunk(0, 'length', { x: { usage: USAGE } })];
  provider.respond = (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(body.join(''));
  };
  const whole = await ask({ n: 2, stream: true, stream_options: { include_usage: true } });
  expect(whole.isBroken).toBe(false);
  expect(whole.body).toMatch(/\[DONE\]\n\n$/);
  expect(metered(whole)).toMatchObject({ input_tokens: 3, output_tokens: 5, usage_source: 'provider' });
  expect(JSON.parse(provider.received.at(-1)?.body ?? '')).not.toHaveProperty('stream_options');
  body.pop();
  const broken = await ask({ n: 2, stream: true });
  expect([broken.isBroken, broken.body.includes('[DONE]')]).toEqual([true, false]);
});

it('a whole completion is billed by the usage where its server has it', async () => {
  const choices = [{ index: 0, text: 'a', finish_reason: 'stop' }];
  const answer = { id: 'c', object: 'text_completion', created: 1, model: 'base', choices };
  provider.respond = json(200, JSON.stringify({ ...answer, x: { usage: USAGE } }));
  const whole = await ask({});
  expect(JSON.parse(whole.body)).toMatchObject({ model: 'acme/base', choices });
  expect(metered(whole)).toMatchObject({ output_tokens: 5, usage_source: 'provider' });
});
