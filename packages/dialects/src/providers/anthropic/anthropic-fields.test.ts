import { checkFieldRules, choiceFor } from '../../../tests/check-field-rules.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { ANTHROPIC_FIELDS } from './anthropic-fields.ts';
import { convertChatToAnthropic } from './convert-chat-to-anthropic.ts';

const MODEL = { id: 'anthropic/claude', maxOutputTokens: 64_000 };

function translate(request: JsonObject) {
  return convertChatToAnthropic(request, MODEL, 'claude-sonnet-4-5');
}

/** Returns a request with only carried fields, and with every object that a rule is about. */
function everything(field: string): JsonObject {
  const called = () => ({ name: 'find' });
  const named = () => ({ type: 'function', function: called() });
  const call = { id: 'call_1', type: 'function', function: { name: 'find', arguments: '{}' } };
  return {
    model: 'anthropic/claude',
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] },
      { role: 'user', content: [{ type: 'file', file: { file_data: 'https://example.com/a.pdf' } }] },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'x' },
      { role: 'assistant', function_call: { name: 'find', arguments: '{}' } },
      { role: 'function', content: 'x' },
    ],
    tools: [named()],
    functions: [{ name: 'other' }],
    ...choiceFor(field, called()),
    response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
  };
}

checkFieldRules({
  modelId: 'anthropic/claude',
  rules: ANTHROPIC_FIELDS,
  everything,
  translate,
  neutral: [
    ['n', 1],
    ['logprobs', false],
    ['top_logprobs', 0],
    ['logit_bias', {}],
    ['modalities', ['text']],
    ['frequency_penalty', 0],
    ['presence_penalty', 0],
    ['metadata', {}],
    ['messages[].annotations', []],
    ['messages[].images', []],
    ['messages[].tool_calls[].index', 0],
    ['messages[].content[].image_url.detail', 'auto'],
  ],
});
