import {
  modelEntry,
  readAll,
  simulatedServiceAccount,
  withGateway,
  withStarted,
} from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { MATRIX_CALLERS, type MatrixCaller } from '../matrix/callers.ts';
import { eventsOf } from '../matrix/cell.ts';
import type { Question } from '../matrix/question.ts';
import { startScriptedProvider } from '../providers/scripted-provider.ts';
import { type Recording, readRecordings } from './read-recordings.ts';
import { RECORDED_PROVIDERS, type RecordedContent } from './recorded-providers.ts';

const PROVIDERS = Object.entries(RECORDED_PROVIDERS);
const idOf = (title: string) => `recorded/${title.toLowerCase()}`;

/** Prices of a token, in picodollars. */
const PRICES = { input: 2_000_003n, cached: 200_001n, output: 12_000_007n };

/** Returns the charge in nano-USD, rounded up once. */
function billByHand({ cached, input, output }: NonNullable<RecordedContent['usage']>): bigint {
  const picodollars =
    BigInt(input - cached) * PRICES.input + BigInt(cached) * PRICES.cached + BigInt(output) * PRICES.output;
  return (picodollars + 999n) / 1_000n;
}

const server = withStarted(() => startScriptedProvider());
const gateway = withGateway(() => ({
  environment: (baseUrl) => ({ SIMULATED_SERVICE_ACCOUNT: simulatedServiceAccount(baseUrl) }),
  document: () => ({
    providers: PROVIDERS.map(([title, { provider }]) => ({
      id: title.toLowerCase(),
      name: title,
      ...provider(new URL(server.baseUrl).origin),
    })),
    models: PROVIDERS.map(([title, { upstreamModel }]) =>
      modelEntry(
        idOf(title),
        { [title.toLowerCase()]: upstreamModel },
        {
          tier: 'paid',
          max_output_tokens: 10_000,
          pricing: {
            input_per_million_usd: '2.000003',
            cached_input_per_million_usd: '0.200001',
            output_per_million_usd: '12.000007',
          },
        },
      ),
    ),
  }),
}));

const cases = PROVIDERS.flatMap(([title, provider]) =>
  MATRIX_CALLERS.map((caller) => ({ title, provider, caller })),
);

describe.each(cases)('a recorded response of $title for a caller of $caller.title', (one) => {
  const { caller, provider, title } = one;
  const recordings = readRecordings(provider.folder);
  const chats = recordings
    .filter((recording) => provider.isChat(recording))
    .map((recording) => ({ ...recording, recorded: provider.saidIn(recording) }));
  const turns = ({ usage }: RecordedContent) => [
    { user: [{ text: 'a '.repeat(Math.max(300, usage?.input ?? 0)) }] },
  ];

  function ask(recording: Recording, question: Question, stream = recording.isStreamed): Promise<Response> {
    server.respond = (res, request) => provider.write(res, recording, request);
    const body: Record<string, unknown> = { ...caller.request(question), model: idOf(title), stream };
    if (!stream) delete body.stream_options;
    return gateway.post(caller.path, body);
  }

  it.each(chats)(
    'a recorded response keeps its text, calls, thoughts and usage, and costs its usage: $name',
    async (recording) => {
      const { recorded } = recording;
      const response = await ask(recording, {
        turns: turns(recorded),
        tools: toolsOf(recorded),
        most: 4_000,
      });
      const received = readAnswer(caller, recording, await response.text());
      expect(received).toMatchObject({
        text: recorded.text,
        thoughts: recorded.thoughts,
        calls: recorded.calls,
      });
      expect(received.calls).toHaveLength(recorded.calls.length);
      expect(new Set(received.calls.map(({ id }) => id)).size).toBe(received.calls.length);
      expect(received.stop).toBe(received.calls.length > 0 ? 'tool_calls' : 'stop');
      const row = await gateway.recordOf(response);
      expect(row.usage_source).toBe(recorded.usage === undefined ? 'estimated' : 'provider');
      if (recorded.usage === undefined) return;
      expect(received.usage).toEqual(recorded.usage);
      expect(row.charged).toBe(billByHand(recorded.usage));
    },
  );

  const signed = chats.filter(({ recorded }) => recorded.signatures.length > 0);
  it.each(signed)('a recorded response gets its signatures back byte for byte: $name', async (recording) => {
    const { recorded } = recording;
    const question = { turns: turns(recorded), tools: toolsOf(recorded) };
    const first = readAnswer(caller, recording, await (await ask(recording, question)).text());
    const results = first.calls.map(({ id }) => ({ id, parts: [{ text: 'sunny' }] }));
    const next = results.length > 0 ? { results } : { user: [{ text: 'Go on.' }] };
    const response = await ask(recording, {
      ...question,
      turns: [...question.turns, { again: first.again }, next],
    });
    expect(response.status, await response.text()).toBe(200);
    const body = server.received.at(-1)?.body;
    for (const signature of recorded.signatures) expect(body).toContain(JSON.stringify(signature));
  });

  it.each(chats.filter(({ isStreamed }) => isStreamed))(
    'a recorded stream that breaks off never looks complete: $name',
    async ({ recorded, ...recording }) => {
      const pieces = recording.pieces.slice(0, -provider.eventsOfEnd);
      const response = await ask(
        { ...recording, pieces },
        { turns: turns(recorded), tools: toolsOf(recorded) },
      );
      const { isBroken, text } = await readAll(response);
      expect(text).not.toContain(caller.endMark);
      // The gateway answers 502 where it knows of the end before it has sent anything.
      if (response.status === 502) return;
      expect([response.status, isBroken]).toEqual([200, true]);
      expect(text).toContain(caller.failureMark);
    },
  );

  const limited = recordings.filter(({ name }) => /429|rate-limit/.test(name));
  it.each(limited)('a recorded rate limit says how long to wait: $name', async (recording) => {
    const response = await ask(recording, { turns: [{ user: [{ text: 'hi' }] }] });
    await response.body?.cancel();
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '35']);
  });
});

function toolsOf({ calls }: RecordedContent) {
  const names = new Set(['weather', ...calls.map(({ name }) => name)]);
  return [...names].map((name) => ({ name, parameters: { type: 'object' } }));
}

function readAnswer(caller: MatrixCaller, { isStreamed }: Recording, text: string) {
  return caller.answer(isStreamed ? caller.assembled(eventsOf(text)) : JSON.parse(text));
}
