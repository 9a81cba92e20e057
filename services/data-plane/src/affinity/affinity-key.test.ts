import {
  type ConversationStart,
  chatCompletionsRequest,
  messagesRequest,
  responsesRequest,
} from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { affinityKey, hashStart } from './affinity-key.ts';

const SYSTEM = 'You are terse.';
const TEXT = 'Where is Rome?';
const ANSWER = { role: 'assistant', content: 'In Italy.' };
const NEXT = { role: 'user', content: 'And Oslo?' };
const chat = (messages: object[]) => startOf(chatCompletionsRequest.parse({ model: 'm', messages }));
const message = (messages: object[], system: unknown = SYSTEM) =>
  startOf(messagesRequest.parse({ model: 'm', max_tokens: 9, system, messages }));
const response = (members: object) => startOf(responsesRequest.parse({ model: 'm', ...members }));

function startOf({ start }: { start?: ConversationStart | undefined }): string | undefined {
  return start && hashStart(start);
}

describe('the hash of the start of a conversation', () => {
  it('is the same in all turns of a chat, and differs with the system prompt and the first message', () => {
    const first = [
      { role: 'system', content: SYSTEM },
      { role: 'user', content: TEXT },
    ];
    expect(chat([...first, ANSWER, NEXT])).toBe(chat(first));
    expect(chat([{ role: 'developer', content: 'Be brief.' }, ...first.slice(1)])).not.toBe(chat(first));
    expect(chat([...first.slice(0, 1), NEXT])).not.toBe(chat(first));
  });

  it('is the same in all turns of Messages, though the cache mark moves on and a list becomes a text', () => {
    const marked = { type: 'text', text: TEXT, cache_control: { type: 'ephemeral' } };
    const first = message([{ role: 'user', content: [marked] }]);
    expect(message([{ role: 'user', content: TEXT }, ANSWER, NEXT])).toBe(first);
    expect(message([{ role: 'user', content: TEXT }], [{ type: 'text', text: SYSTEM }])).toBe(first);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const pictured = message([{ role: 'user', content: [image, marked] }]);
    expect(pictured).not.toBe(first);
    const later = { ...image, cache_control: { type: 'ephemeral' } };
    expect(message([{ role: 'user', content: [later, { type: 'text', text: TEXT }] }])).toBe(pictured);
  });

  it('is the same in all turns of Responses, with a text or with items', () => {
    const first = response({ instructions: SYSTEM, input: TEXT });
    const part = { type: 'input_text', text: TEXT };
    const items = [{ type: 'message', role: 'user', content: [part] }, ANSWER, NEXT];
    expect(response({ instructions: SYSTEM, input: items })).toBe(first);
    expect(response({ input: TEXT })).not.toBe(first);
  });

  it('is that of the stored conversation where a response names it, and unknown after a stored response', () => {
    const stored = (input: string) => response({ conversation: 'conv_1', input });
    expect(stored('a')).toBe(stored('b'));
    expect(response({ conversation: 'conv_2', input: 'a' })).not.toBe(stored('a'));
    expect(response({ previous_response_id: 'resp_1', input: 'a' })).toBeUndefined();
  });

  it('is unknown without a message of the user', () => {
    expect(chat([{ role: 'system', content: SYSTEM }])).toBeUndefined();
  });
});

it('the key of a conversation depends on the account, and on what names the conversation', () => {
  const key = affinityKey('acct_1', 'session', 's');
  expect(affinityKey('acct_1', 'session', 's')).toEqual(key);
  expect(affinityKey('acct_2', 'session', 's')).not.toEqual(key);
  expect(affinityKey('acct_1', 'prefix', 's')).not.toEqual(key);
});
