import { checkFieldRules, choiceFor } from '../../../tests/check-field-rules.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { COHERE_FIELDS } from './cohere-fields.ts';
import { convertChatToCohere } from './convert-chat-to-cohere.ts';

const MODEL = { id: 'cohere/model', maxOutputTokens: 8_000, upstreamModel: 'command-a-plus-05-2026' };

function translate(request: JsonObject) {
  return convertChatToCohere(request, MODEL);
}

/** Returns a request with only carried fields, and with every object that a rule is about. */
function everything(field: string): JsonObject {
  const called = () => ({ name: 'find' });
  const named = () => ({ type: 'function', function: called() });
  const call = { id: 'call_1', type: 'function', function: { name: 'find', arguments: '{}' } };
  return {
    model: 'cohere/model',
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'x' },
    ],
    // These exclude each other.
    ...(field.startsWith('response_format')
      ? { response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } } }
      : { tools: [named()], ...choiceFor(field, called()) }),
  };
}

checkFieldRules({
  modelId: 'cohere/model',
  rules: COHERE_FIELDS,
  everything,
  translate,
  neutral: [
    ['n', 1],
    ['logprobs', false],
    ['top_logprobs', 0],
    ['logit_bias', {}],
    ['modalities', ['text']],
    ['parallel_tool_calls', true],
    ['functions', []],
    ['function_call', 'auto'],
    ['metadata', {}],
    ['messages[].is_error', false],
    ['messages[].annotations', []],
    ['messages[].images', []],
    ['messages[].tool_calls[].index', 0],
  ],
});
