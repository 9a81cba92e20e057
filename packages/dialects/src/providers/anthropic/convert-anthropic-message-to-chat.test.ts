import { NO_UNITS } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { ChatCompletionsWriter } from '../../callers/chat-completions/chat-completions-writer.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { ChatMeter } from '../../usage/chat-meter.ts';
import { convertAnthropicMessageToChat } from './convert-anthropic-message-to-chat.ts';

const MODEL = 'anthropic/claude';
const USAGE = {
  input_tokens: 10,
  cache_read_input_tokens: 5,
  cache_creation_input_tokens: 3,
  output_tokens: 20,
};

function told(members: JsonObject) {
  const max = { ...NO_UNITS, inputTokens: 1_000, outputTokens: 1_000 };
  const meter = new ChatMeter([Buffer.from('{"messages":[{"content":"What is a glacier?"}]}')], {
    max,
    mediaParts: 0,
    mediaPartTokens: 0,
  });
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    usage: USAGE,
    ...members,
  };
  return convertAnthropicMessageToChat(new ChatCompletionsWriter(meter, MODEL, true), MODEL).whole(
    message,
    '',
  );
}

describe('a whole answer of Messages, for a caller of Chat Completions', () => {
  it('a message becomes a completion with all its texts and the billed usage', () => {
    const content = [
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
    ];
    const { body, usage } = told({ content, stop_reason: 'end_turn' });
    expect(body).toEqual({
      id: 'msg_1',
      object: 'chat.completion',
      created: expect.any(Number),
      model: MODEL,
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hello', refusal: null }, finish_reason: 'stop' },
      ],
      usage: {
        prompt_tokens: 18,
        completion_tokens: 20,
        total_tokens: 38,
        prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 3 },
      },
    });
    expect(usage).toMatchObject({
      source: 'provider',
      inputTokens: 18,
      cachedInputTokens: 5,
      outputTokens: 20,
    });
  });

  it('thinking keeps its signatures, and calls are converted', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'ZW5j' },
      { type: 'tool_use', id: 'a', name: 'find', input: { q: 'é' } },
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'tool_use', id: 'b', name: 'now', input: {} },
    ];
    const format = 'anthropic-claude-v1';
    expect(told({ content, stop_reason: 'tool_use' }).body).toMatchObject({
      choices: [
        {
          message: {
            content: null,
            reasoning_content: 'Hm',
            reasoning_details: [
              { type: 'reasoning.text', text: 'Hm', signature: 'c2ln', format, index: 0 },
              { type: 'reasoning.encrypted', data: 'ZW5j', format, index: 1 },
            ],
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'find', arguments: '{"q":"é"}' } },
              { id: 'b', type: 'function', function: { name: 'now', arguments: '{}' } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
    });
  });

  it('cited pages keep their places', () => {
    const citations = [{ type: 'web_search_result_location', url: 'https://example.com', title: null }];
    const content = [
      { type: 'text', text: 'See ' },
      { type: 'text', text: 'this', citations },
    ];
    const url_citation = {
      url: 'https://example.com',
      title: 'https://example.com',
      start_index: 4,
      end_index: 8,
    };
    expect(told({ content, stop_reason: 'end_turn' }).body).toMatchObject({
      choices: [{ message: { annotations: [{ type: 'url_citation', url_citation }] } }],
    });
  });

  it('a refusal keeps the words of its provider', () => {
    const stop_details = { type: 'refusal', category: null, explanation: 'I will not.' };
    expect(told({ content: [], stop_reason: 'refusal', stop_details }).body).toMatchObject({
      choices: [{ message: { content: null, refusal: 'I will not.' }, finish_reason: 'content_filter' }],
    });
    expect(told({ content: [], stop_reason: 'refusal', stop_details: null }).body).toMatchObject({
      choices: [{ message: { content: '', refusal: null }, finish_reason: 'content_filter' }],
    });
  });

  it('a message without a possible count is estimated', () => {
    const content = [{ type: 'text', text: 'x'.repeat(40) }];
    const { body, usage } = told({ content, stop_reason: 'end_turn', usage: { input_tokens: -1 } });
    expect(body).not.toHaveProperty('usage');
    expect(usage).toMatchObject({ source: 'estimated', outputTokens: 10 });
  });

  it('a message of which only one side is counted is estimated', () => {
    const content = [{ type: 'text', text: 'x'.repeat(40) }];
    const { body, usage } = told({ content, stop_reason: 'end_turn', usage: { output_tokens: 10 } });
    expect(body).not.toHaveProperty('usage');
    expect(usage).toMatchObject({ source: 'estimated', outputTokens: 10 });
    expect(usage?.inputTokens).toBeGreaterThan(0);
  });

  it.each([
    ['an error', { type: 'error', error: { type: 'api_error', message: 'x' } }],
    ['something else', { type: 'completion', content: [] }],
    ['a message without content', { content: undefined }],
    ['a message whose content is no list of blocks', { content: [null] }],
  ])('a message is an error when it is %s', (_what, members) => {
    expect(() => told(members)).toThrow(expect.objectContaining({ code: 'upstream_error', status: 502 }));
  });
});
