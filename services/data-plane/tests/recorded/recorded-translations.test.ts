import { readAll, withStarted } from '@model-gateway/test-kit';
import OpenAI, { APIError } from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MATRIX_CALLERS } from '../matrix/callers.ts';
import { eventsOf } from '../matrix/cell.ts';
import { billedTurns, finalUsage, tokensOf } from './bill-by-hand.ts';
import { isOneMessage, type RecordedAnswer, readRecordedMessages } from './recorded-answers.ts';
import { startReplay } from './replay.ts';
import { saidIn } from './said-in-message.ts';

const answers = readRecordedMessages();
const clean = answers.filter(isOneMessage);
const broken = answers.filter((answer) => !isOneMessage(answer));

const usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  prompt_tokens_details: z.looseObject({
    cached_tokens: z.int().nullish(),
    cache_write_tokens: z.int().nullish(),
  }),
});

const completion = z.looseObject({
  choices: z.array(
    z.looseObject({
      message: z.looseObject({
        reasoning_details: z.array(z.looseObject({ signature: z.string().nullish() })).nullish(),
      }),
    }),
  ),
  usage,
});
const [CHAT] = MATRIX_CALLERS;

describe.skipIf(answers.length === 0)('a recorded answer of Anthropic, asked for in Chat Completions', () => {
  let client: OpenAI;

  const replay = withStarted(() => startReplay(answers));
  beforeAll(async () => {
    client = new OpenAI({ baseURL: `${replay.gateway.baseUrl}/v1`, apiKey: replay.rawKey, maxRetries: 0 });
  });

  it.each(clean.map((answer) => [answer.name, answer] as const))(
    'a recorded message keeps its text, calls, reasoning and usage, and costs the same: %s',
    async (_name, answer) => {
      const response = await replay.ask(answer, '/v1/chat/completions');
      const text = await response.text();
      expect(response.status, text.slice(0, 500)).toBe(200);
      const isStreamed = 'events' in answer.content;
      if (isStreamed) expect(text).toMatch(/data: \[DONE\]\n\n$/);
      const body = completion.parse(isStreamed ? CHAT.assembled(eventsOf(text)) : JSON.parse(text));
      const { calls, text: written, thoughts } = CHAT.answer(body);
      const signatures = body.choices.flatMap(({ message: { reasoning_details: details } }) =>
        (details ?? []).flatMap(({ signature }) => signature ?? []),
      );
      expect({ text: written, reasoning: thoughts, signatures, calls }).toEqual(saidIn(answer));
      expectUsage(body.usage, answer);
      expect(await replay.charged(response)).toBe(replay.billByHand(answer));
    },
  );

  it.each(broken.map((answer) => [answer.name, answer] as const))(
    'a recorded stream that is no single message breaks off without an end, and the client raises: %s',
    async (_name, answer) => {
      const response = await replay.ask(answer, '/v1/chat/completions');
      const { isBroken, text } = await readAll(response);
      expect(isBroken).toBe(true);
      expect(text).not.toContain('[DONE]');
      expect(text).toMatch(/data: \{"error":/);

      const messages = [{ role: 'user' as const, content: 'hello' }];
      const request = { model: replay.idOf(answer.model), messages, stream: true as const };
      const stream = await client.chat.completions.create(request);
      await expect(Array.fromAsync(stream)).rejects.toBeInstanceOf(APIError);
    },
  );
});

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
