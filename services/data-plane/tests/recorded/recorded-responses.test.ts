import type { CatalogDocumentInput } from '@model-gateway/shared';
import {
  modelEntry,
  postJson,
  providerEntry,
  readAll,
  withGateway,
  withStarted,
} from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { openAiOf } from '../endpoints/official-clients.ts';
import { catalogPricing, handPrices } from './bill-by-hand.ts';
import { eventsOf, type RecordedAnswer, runOnAnswers, typeOf } from './recorded-answers.ts';
import {
  hasFailed,
  outputOf,
  readRecordedResponses,
  responseByHand,
  responsesOf,
} from './recorded-responses.ts';
import { startReplayingProvider } from './replaying-provider.ts';

const answers = readRecordedResponses();
const good = answers.filter((answer) => !hasFailed(answer));
const failed = answers.filter(hasFailed);

const PROVIDER = 'recorded';
const PRICES = handPrices(0);
const BY_HAND = { ...PRICES, searchNanoUsd: 10_000_001n, toolNanoUsd: 2_500_007n };
const SEALED = /^resp_[\w-]{30,}$/;

const idOf = (model: string) => `${PROVIDER}/${model.replaceAll('/', '-')}`;

describe.skipIf(answers.length === 0)('a recorded answer in Responses', () => {
  const provider = withStarted(() => startReplayingProvider());
  const gateway = withGateway(() => ({ document: () => documentOf(provider.baseUrl) }));

  async function ask(answer: RecordedAnswer): Promise<Response> {
    provider.replay(answer);
    const { usage } = responsesOf(answer.content).at(-1) ?? {};
    return await gateway.post('responses', {
      model: idOf(answer.model),
      // Long enough, and with enough output, to reserve the cost of all that the response uses.
      input: 'a '.repeat(usage?.input_tokens ?? 1),
      max_output_tokens: Math.max(1, usage?.output_tokens ?? 1),
      tools: [{ type: 'code_interpreter' }],
      stream: 'events' in answer.content,
    });
  }

  const charged = async (response: Response) => (await gateway.recordOf(response)).charged;

  it.each(good.map((answer) => [answer.name, answer] as const))(
    'a recorded response passes to the byte except for its ids and model, and costs its usage: %s',
    async (_name, answer) => {
      const response = await ask(answer);
      const text = await response.text();
      expect(response.status, text.slice(0, 500)).toBe(200);
      if ('text' in answer.content) expect(asRecorded(text, answer.content.text)).toBe(answer.content.text);
      else {
        const events = eventsOf(text);
        const { events: recorded } = answer.content;
        expect(events.map(({ data }, index) => asRecorded(data, recorded[index] ?? ''))).toEqual(recorded);
        expect(events.map(({ name }) => name)).toEqual(recorded.map(typeOf));
      }
      expect(await charged(response)).toBe(responseByHand(answer, BY_HAND));
    },
  );

  it.each(good.map((answer) => [answer.name, answer] as const))(
    'the official client understands a recorded response as if it came from OpenAI: %s',
    async (_name, answer) => {
      provider.replay(answer);
      const client = openAiOf(gateway);
      const request = { model: idOf(answer.model), input: 'hello' };
      if ('text' in answer.content) {
        const response = await client.responses.create(request);
        expect(response.model).toBe(request.model);
        expect(response.output.map(({ type }) => type)).toEqual(outputOf(answer).map(({ type }) => type));
        return;
      }
      const types: string[] = [];
      for await (const { type } of await client.responses.create({ ...request, stream: true }))
        types.push(type);
      expect(types).toEqual(answer.content.events.map(typeOf));
    },
  );

  it.each(runOnAnswers(good).map((answer) => [answer.name, answer] as const))(
    'a recorded stream ends with its last event, whatever follows, and costs its own usage: %s',
    async (name, answer) => {
      const first = good.find((one) => name.startsWith(one.name));
      if (first === undefined || !('events' in first.content)) throw new Error(`there is no ${name}`);
      const response = await ask(answer);
      const names = eventsOf(await response.text()).map((event) => event.name);
      expect(names).toEqual(first.content.events.map(typeOf));
      expect(await charged(response)).toBe(responseByHand(first, BY_HAND));
    },
  );

  it.each(failed.map((answer) => [answer.name, answer] as const))(
    'a recorded failure passes to its end, is broken off there, and is free: %s',
    async (_name, answer) => {
      const response = await ask(answer);
      const { isBroken, text } = await readAll(response);
      expect(isBroken).toBe(true);
      if (!('events' in answer.content)) throw new Error('it is no stream');
      const { events: recorded } = answer.content;
      const events = eventsOf(text);
      expect(events.map(({ data }, index) => asRecorded(data, recorded[index] ?? ''))).toEqual(recorded);
      expect(await charged(response)).toBe(0n);
    },
  );

  it.each(
    good
      .filter((answer) =>
        outputOf(answer).some(({ encrypted_content: sealed }) => typeof sealed === 'string'),
      )
      .map((answer) => [answer.name, answer] as const),
  )('encrypted reasoning comes back to the provider byte for byte: %s', async (_name, answer) => {
    const first = await ask(answer);
    const text = await first.text();
    const received = 'text' in answer.content ? text : (eventsOf(text).at(-1)?.data ?? '');
    const output = received.slice(received.indexOf('"output"'));
    const reasoning = outputOf(answer).find(({ type }) => type === 'reasoning');
    const sealed = JSON.stringify(reasoning?.encrypted_content);
    expect(output).toContain(sealed);
    // Another data plane, as after a restart: nothing of the first turn is in it.
    const later = await gateway.startDataPlane();
    provider.replay(answer);
    const body =
      `{"model":"${idOf(answer.model)}","store":false,"include":["reasoning.encrypted_content"],"input":[` +
      `{"type":"reasoning","id":"rs_1","summary":[],  "encrypted_content":${sealed}}, ` +
      `{"role":"user","content":"go on \\u00e4"}]}`;
    await (await postJson(`http://127.0.0.1:${later.port}`, gateway.rawKey, 'responses', body)).text();
    expect(provider.received.at(-1)?.body).toBe(body.replace(idOf(answer.model), answer.model));
    await later.close();
  });
});

/** The ids of model and response as the provider has sent them. */
function asRecorded(received: string, recorded: string): string {
  const [own, raw] = [responseIn(received), responseIn(recorded)];
  if (own === undefined || raw === undefined) return received;
  expect(own.id).toMatch(SEALED);
  expect(own.model).toBe(idOf(raw.model));
  const back = (text: string, from: string, to: string) => {
    // Once: an id that stands elsewhere as well is not the response's.
    expect(text.split(JSON.stringify(from))).toHaveLength(2);
    return text.replace(JSON.stringify(from), JSON.stringify(to));
  };
  const before =
    own.previous === undefined || raw.previous === undefined
      ? received
      : back(received, own.previous, raw.previous);
  return back(back(before, own.id, raw.id), own.model, raw.model);
}

function responseIn(text: string): { id: string; model: string; previous: string | undefined } | undefined {
  const value = JSON.parse(text);
  const { id, model, previous_response_id } = value.response ?? (value.object === 'response' ? value : {});
  return id === undefined ? undefined : { id, model, previous: previous_response_id ?? undefined };
}

function documentOf(baseUrl: string): CatalogDocumentInput {
  const models = [...new Set(answers.map(({ model }) => model))].sort();
  return {
    providers: [providerEntry(PROVIDER, baseUrl, { apis: ['chat', 'responses'] })],
    models: models.map((model) =>
      modelEntry(
        idOf(model),
        { [PROVIDER]: model },
        { tier: 'paid', pricing: { ...catalogPricing(PRICES), tool_call_usd: '0.002500007' } },
      ),
    ),
  };
}
