import { withStarted } from '@model-gateway/test-kit';
import OpenAI, { APIError } from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { billedTurns, finalUsage, tokensOf } from './bill-by-hand.ts';
import { findRecordedAnswers, isOneMessage, type RecordedAnswer } from './recorded-answers.ts';
import { startReplay } from './replay.ts';
import { type SaidInMessage, saidIn } from './said-in-message.ts';

const { answers, missing } = findRecordedAnswers();
const clean = answers.filter(isOneMessage);
const broken = answers.filter((answer) => !isOneMessage(answer));

const call = z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) });
const message = z.looseObject({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(call).nullish(),
  reasoning_content: z.string().nullish(),
  reasoning_details: z.array(z.looseObject({ signature: z.string().nullish() })).nullish(),
});
const usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  prompt_tokens_details: z.looseObject({
    cached_tokens: z.int().nullish(),
    cache_write_tokens: z.int().nullish(),
  }),
});

describe.skipIf(missing !== undefined)(
  'a recorded answer of Anthropic, asked for in Chat Completions',
  () => {
    let client: OpenAI;

    const replay = withStarted(() => startReplay(answers));
    beforeAll(async () => {
      client = new OpenAI({ baseURL: `${replay.gateway.baseUrl}/v1`, apiKey: replay.rawKey, maxRetries: 0 });
    });

    it.each(clean.map((answer) => [answer.name, answer] as const))(
      'loses no text, call, reasoning or usage, and costs the same: %s',
      async (_name, answer) => {
        const response = await replay.ask(answer, '/v1/chat/completions');
        const text = await response.text();
        expect(response.status, text.slice(0, 500)).toBe(200);
        const told = 'text' in answer.content ? toldWhole(text) : toldStreamed(text);
        const said = saidIn(answer);
        expect(told.said).toEqual(said);
        expectUsage(usage.parse(told.usage), answer);
        expect(await replay.charged(response)).toBe(replay.billByHand(answer));
      },
    );

    it.each(broken.map((answer) => [answer.name, answer] as const))(
      'that is no single message breaks off without an end, and the official client raises: %s',
      async (_name, answer) => {
        const response = await replay.ask(answer, '/v1/chat/completions');
        let text = '';
        await expect(
          (async () => {
            for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
          })(),
        ).rejects.toThrow();
        expect(text).not.toContain('[DONE]');
        expect(text).toMatch(/data: \{"error":/);

        const messages = [{ role: 'user' as const, content: 'hello' }];
        const request = { model: replay.idOf(answer.model), messages, stream: true as const };
        const stream = await client.chat.completions.create(request);
        await expect(Array.fromAsync(stream)).rejects.toBeInstanceOf(APIError);
      },
    );
  },
);

/** What of a message, or of all deltas of a stream, is for the caller. */
function said(parts: readonly z.infer<typeof message>[], calls: SaidInMessage['calls']): SaidInMessage {
  const joined = (pick: (part: z.infer<typeof message>) => string | null | undefined) =>
    parts.map((part) => pick(part) ?? '').join('');
  return {
    text: joined(({ content }) => content),
    reasoning: joined(({ reasoning_content }) => reasoning_content),
    signatures: parts
      .flatMap(({ reasoning_details }) => reasoning_details ?? [])
      .flatMap(({ signature }) => signature ?? []),
    calls,
  };
}

function toldWhole(text: string) {
  const completion = z
    .object({ choices: z.array(z.object({ message })).length(1), usage: z.unknown() })
    .parse(JSON.parse(text));
  const parts = completion.choices.map((choice) => choice.message);
  const calls = parts
    .flatMap(({ tool_calls }) => tool_calls ?? [])
    .map(({ id, function: { name, arguments: input } }) => ({ id, name, input: JSON.parse(input) }));
  return { said: said(parts, calls), usage: completion.usage };
}

const delta = message.extend({
  tool_calls: z
    .array(
      z.object({
        index: z.int(),
        id: z.string().optional(),
        function: z.object({ name: z.string().optional(), arguments: z.string().optional() }).optional(),
      }),
    )
    .nullish(),
});

function toldStreamed(text: string) {
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
  const chunks = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) =>
    z
      .object({ choices: z.array(z.object({ delta })), usage: z.unknown().optional() })
      .parse(JSON.parse(data)),
  );
  const deltas = chunks.flatMap(({ choices }) => choices.map((choice) => choice.delta));
  const calls = new Map<number, { id: string; name: string; input: string }>();
  for (const { index, id, function: part } of deltas.flatMap(({ tool_calls }) => tool_calls ?? [])) {
    const known = calls.get(index) ?? { id: '', name: '', input: '' };
    calls.set(index, {
      id: id ?? known.id,
      name: part?.name ?? known.name,
      input: known.input + (part?.arguments ?? ''),
    });
  }
  const parts = deltas.map(({ tool_calls: _calls, ...rest }) => rest);
  const whole = [...calls.values()].map(({ input, ...rest }) => ({ ...rest, input: JSON.parse(input) }));
  return { said: said(parts, whole), usage: chunks.findLast((chunk) => chunk.usage)?.usage };
}

/** The tokens of the whole answer, or of all the turns behind it: nothing that is billed is left unsaid. */
function expectUsage(told: z.infer<typeof usage>, answer: RecordedAnswer): void {
  const recorded = finalUsage(answer);
  const sum = (turns: readonly (typeof recorded)[]) => {
    const tokens = turns.map(tokensOf);
    const total = (pick: (one: ReturnType<typeof tokensOf>) => number) =>
      tokens.reduce((all, one) => all + pick(one), 0);
    return {
      prompt_tokens: total(({ fresh, read, write1h, write5m }) => fresh + read + write1h + write5m),
      completion_tokens: total(({ output }) => output),
      cached: total(({ read }) => read),
      written: total(({ write1h, write5m }) => write1h + write5m),
    };
  };
  const { prompt_tokens, completion_tokens, prompt_tokens_details: details } = told;
  const found = {
    prompt_tokens,
    completion_tokens,
    cached: details.cached_tokens ?? 0,
    written: details.cache_write_tokens ?? 0,
  };
  expect([sum([recorded]), sum(billedTurns(recorded))]).toContainEqual(found);
}
