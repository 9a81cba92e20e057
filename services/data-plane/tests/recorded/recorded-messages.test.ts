import Anthropic, { AnthropicError } from '@anthropic-ai/sdk';
import { readAll, withStarted } from '@model-gateway/test-kit';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  eventsOf,
  isOneMessage,
  type RecordedAnswer,
  readRecordedMessages,
  runOnAnswers,
  typeOf,
} from './recorded-answers.ts';
import { startReplay } from './replay.ts';

const answers = readRecordedMessages();
const clean = answers.filter(isOneMessage);
const broken = answers.filter((answer) => !isOneMessage(answer));

describe.skipIf(answers.length === 0)('a recorded answer of Anthropic, asked for in Messages', () => {
  let client: Anthropic;

  const replay = withStarted(() => startReplay(answers));
  beforeAll(async () => {
    client = new Anthropic({
      baseURL: replay.gateway.baseUrl,
      authToken: replay.rawKey,
      apiKey: null,
      maxRetries: 0,
    });
  });

  it.each(clean.map((answer) => [answer.name, answer] as const))(
    'a recorded message passes to the byte except for the model, and costs its usage: %s',
    async (_name, answer) => {
      const response = await replay.ask(answer, '/v1/messages');
      const text = await response.text();
      expect(response.status, text.slice(0, 500)).toBe(200);
      const [id, model] = [JSON.stringify(replay.idOf(answer.model)), JSON.stringify(answer.model)];
      if ('text' in answer.content) expect(text.replace(id, model)).toBe(answer.content.text);
      else {
        const events = eventsOf(text);
        expect(events.map(({ data }) => data.replace(id, model))).toEqual(answer.content.events);
        expect(events.map(({ name }) => name)).toEqual(answer.content.events.map(typeOf));
      }
      expect(text.split(id)).toHaveLength(2);
      expect(await replay.charged(response)).toBe(replay.billByHand(answer));
    },
  );

  it.each(clean.map((answer) => [answer.name, answer] as const))(
    'the official client understands a recorded message as if it came from Anthropic: %s',
    async (_name, answer) => {
      replay.replay(answer);
      const request = {
        model: replay.idOf(answer.model),
        max_tokens: 1_000,
        messages: [{ role: 'user' as const, content: 'hello' }],
      };
      const message =
        'text' in answer.content
          ? await client.messages.create(request)
          : await client.messages.stream(request).finalMessage();
      expect(message.model).toBe(request.model);
      expect(message.content.map(({ type }) => type)).toEqual(blockTypes(answer));
    },
  );

  it.each(runOnAnswers(clean).map((answer) => [answer.name, answer] as const))(
    'a recorded stream ends with its message_stop, whatever follows, and costs its own usage: %s',
    async (name, answer) => {
      const first = clean.find((one) => name.startsWith(one.name));
      if (first === undefined || !('events' in first.content)) throw new Error(`there is no ${name}`);
      const response = await replay.ask(answer, '/v1/messages');
      const names = eventsOf(await response.text()).map((event) => event.name);
      expect(names).toEqual(first.content.events.map(typeOf));
      expect(await replay.charged(response)).toBe(replay.billByHand(first));
    },
  );

  it.each(broken.map((answer) => [answer.name, answer] as const))(
    'a recorded stream that is no single message ends in an error event, and the client raises: %s',
    async (_name, answer) => {
      const response = await replay.ask(answer, '/v1/messages');
      const { isBroken, text } = await readAll(response);
      expect(isBroken).toBe(true);
      const names = eventsOf(text).map(({ name }) => name);
      expect(names.filter((name) => name === 'message_start')).toHaveLength(1);
      expect(names).not.toContain('message_stop');
      expect(names.at(-1)).toBe('error');

      const request = {
        model: replay.idOf(answer.model),
        max_tokens: 1_000,
        messages: [{ role: 'user' as const, content: 'hello' }],
      };
      await expect(client.messages.stream(request).finalMessage()).rejects.toBeInstanceOf(AnthropicError);
    },
  );
});

function blockTypes({ content }: RecordedAnswer): string[] {
  if ('text' in content) return JSON.parse(content.text).content.map(({ type }: { type: string }) => type);
  return content.events
    .map((data) => JSON.parse(data))
    .flatMap(({ content_block }) => (content_block === undefined ? [] : [content_block.type]));
}
