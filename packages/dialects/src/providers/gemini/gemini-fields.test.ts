import { checkFieldRules, choiceFor } from '../../../tests/check-field-rules.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { convertChatToGemini } from './convert-chat-to-gemini.ts';
import { GEMINI_FIELDS } from './gemini-fields.ts';

function translate(request: JsonObject) {
  return convertChatToGemini(request, { id: 'google/gemini', maxOutputTokens: undefined }, 'gemini-3-pro');
}

/** Returns a request with only carried fields, and with every object that a rule is about. */
function everything(field: string): JsonObject {
  const called = () => ({ name: 'find' });
  const named = () => ({ type: 'function', function: called() });
  const google = { thought_signature: 'c2ln', id: 'own' };
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'find', arguments: '{}' },
    extra_content: { google },
  };
  const user = (part: JsonObject) => ({ role: 'user', content: [part] });
  return {
    model: 'google/gemini',
    stream: true,
    stream_options: { include_usage: true },
    thinking: { type: 'enabled', budget_tokens: 2_000 },
    messages: [
      user({ type: 'text', text: 'hi' }),
      user({ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }),
      user({ type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }),
      user({ type: 'file', file: { file_data: 'https://example.com/a.pdf' } }),
      user({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'x' },
      {
        role: 'assistant',
        content: 'drawn',
        images: [{ type: 'image_url', image_url: { url: 'https://example.com/b.png' } }],
      },
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
  modelId: 'google/gemini',
  rules: GEMINI_FIELDS,
  everything,
  translate,
});
