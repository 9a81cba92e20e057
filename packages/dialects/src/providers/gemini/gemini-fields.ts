import { carried, type FieldRules, ignored, refused, under } from '../../translation/field-rules.ts';
import { CHAT_FIELDS } from '../shared/chat-fields.ts';

/** Source: "Penalty is not enabled" (https://github.com/google-gemini/cookbook/issues/1290). */
const NO_PENALTY = 'current models refuse it';
const isZero = (value: unknown) => value === 0;

const BY_ITSELF = 'the provider caches by itself';

/** Top-level fields that differ from CHAT_FIELDS. */
const TOP_LEVEL: FieldRules = {
  model: carried("the path, with the provider's name of it"),
  messages: carried(
    '`contents`; all system and developer messages become `systemInstruction`, messages of one role after ' +
      'another become one, and empty texts are left out',
  ),
  max_completion_tokens: carried('`generationConfig.maxOutputTokens`'),
  max_tokens: carried('`generationConfig.maxOutputTokens`, unless `max_completion_tokens` is there'),
  temperature: carried('`generationConfig.temperature`'),
  top_p: carried('`generationConfig.topP`'),
  top_k: carried('`generationConfig.topK`'),
  seed: carried('`generationConfig.seed`'),
  frequency_penalty: ignored(NO_PENALTY, isZero),
  presence_penalty: ignored(NO_PENALTY, isZero),
  stop: carried(
    '`generationConfig.stopSequences`; more than five are refused, empty ones left out and named',
  ),
  stream: carried('the path'),
  stream_options: carried('see its members'),
  tools: carried('`tools[].functionDeclarations`'),
  functions: carried('`tools[].functionDeclarations`; their calls are answered in `tool_calls`'),
  tool_choice: carried('`toolConfig.functionCallingConfig`'),
  function_call: carried('`toolConfig.functionCallingConfig`'),
  response_format: carried('`generationConfig.responseMimeType` and `responseJsonSchema`'),
  modalities: carried('`generationConfig.responseModalities`'),
  reasoning_effort: carried(
    '`generationConfig.thinkingConfig`: a level, or a budget for older models; `none` is the least that the ' +
      'model can do, and named where that is not nothing; left out and named where the model does not think',
  ),
  thinking: carried('`generationConfig.thinkingConfig.thinkingBudget`; instead of `reasoning_effort`'),

  service_tier: carried(
    '`serviceTier`: `flex`, `priority`, or `standard` for `default`; at Vertex AI a header; others are refused',
  ),

  audio: refused('speaks in POST /v1/audio/speech only'),
  web_search_options: refused('cannot be given a search in Chat Completions'),

  cache_control: ignored(`wherever it stands: ${BY_ITSELF}`),
};

const NAMED: FieldRules = { name: carried('`allowedFunctionNames`') };

const CALL: FieldRules = {
  name: carried('`functionCall.name`'),
  arguments: carried('`functionCall.args`; refused when it is no JSON object'),
};

const SCHEMA =
  'what Gemini knows of JSON Schema; `const` becomes `enum`. Keywords such as `pattern`, `minLength` or `not` ' +
  'are left out and named';

const FUNCTION: FieldRules = {
  name: carried('`name`'),
  description: carried('`description`'),
  parameters: carried(`\`parametersJsonSchema\`: ${SCHEMA}`),
  strict: carried('the mode `VALIDATED`, unless `tool_choice` asks for another one'),
};

/** Nested fields that differ from CHAT_FIELDS, by path without indexes. */
const NESTED: FieldRules = {
  ...under('thinking', {
    type: carried('`enabled` and `disabled`; `adaptive` is what is usual'),
    budget_tokens: carried('`thinkingBudget`, at least what the model must think'),
    display: ignored('what the provider tells of its thoughts is passed on'),
  }),
  ...under('messages[]', {
    role: carried('`role`: `user` or `model`'),
    content: carried('`parts`'),
    tool_calls: carried('`functionCall` parts'),
    function_call: carried('a `functionCall` part'),
    tool_call_id: carried('`functionResponse.name`, and the place among the results'),
    is_error: carried('`functionResponse.response.error` instead of `output`'),
    reasoning_details: carried(
      '`thoughtSignature`, byte for byte, and thoughts that are signed; those of other providers are left out ' +
        'and named',
    ),
    reasoning_content: carried('by `reasoning_details`; left out and named where it is not signed'),
    audio: refused('takes no audio of an earlier answer'),
    images: carried('`inlineData` or `fileData` in the turn of the model'),
  }),
  ...under('messages[].images[]', {
    type: carried('nothing: all are pictures'),
    image_url: carried('as in `content`'),
    index: carried('nothing: their order says the same'),
  }),
  ...under('messages[].images[].image_url', { url: carried('as in `content`') }),
  ...under('messages[].content[]', {
    type: carried('a part; refused when it is none of the following'),
    image_url: carried('`inlineData` or `fileData`; refused outside of messages of users and tools'),
    video_url: carried('as `image_url`'),
    file: carried('`inlineData` or `fileData`; refused outside of messages of users and tools'),
    input_audio: carried('`inlineData`; refused outside of messages of users and tools'),
  }),
  ...under('messages[].content[].image_url', {
    url: carried('`inlineData` for base64; `fileData` for a URL, its type by the ending'),
  }),
  ...under('messages[].content[].video_url', { url: carried('as of `image_url`') }),
  ...under('messages[].content[].file', {
    file_data: carried('`inlineData` for base64; `fileData` for a URL whose ending tells its type'),
    filename: ignored('files have no names'),
    file_id: refused('cannot read files that are stored at another provider'),
  }),
  ...under('messages[].content[].input_audio', {
    data: carried('`inlineData.data`'),
    format: carried('`inlineData.mimeType`: wav, mp3, aac, flac, ogg and aiff'),
  }),
  ...under('messages[].tool_calls[]', {
    id: carried('tells which result belongs to it'),
    type: carried('`functionCall`; refused when it is no function'),
    function: carried('`functionCall`'),
    extra_content: carried('see its members'),
  }),
  ...under('messages[].tool_calls[].extra_content', { google: carried('see its members') }),
  ...under('messages[].tool_calls[].extra_content.google', {
    thought_signature: carried(
      '`thoughtSignature`, byte for byte; the first call of a turn without one, as of another model, is sent ' +
        'with the word that has newer models not look for it',
    ),
    id: carried('`functionCall.id` and `functionResponse.id`'),
  }),
  ...under('messages[].tool_calls[].function', CALL),
  ...under('messages[].function_call', CALL),
  ...under('tools[]', {
    function: carried('a function declaration'),
  }),
  ...under('tools[].function', FUNCTION),
  ...under('functions[]', FUNCTION),
  ...under('tool_choice', {
    type: carried('`mode`'),
    function: carried('`allowedFunctionNames`'),
    allowed_tools: carried('`functionDeclarations` without all others'),
  }),
  ...under('tool_choice.function', NAMED),
  ...under('tool_choice.allowed_tools', { mode: carried('`mode`'), tools: carried('by name') }),
  ...under('tool_choice.allowed_tools.tools[].function', NAMED),
  ...under('function_call', NAMED),
  ...under('response_format', {
    type: carried('`responseMimeType`'),
    json_schema: carried('see its members'),
  }),
  ...under('response_format.json_schema', {
    schema: carried(`\`responseJsonSchema\`: ${SCHEMA}, or refused where \`strict\` is true`),
    strict: carried('what Gemini cannot keep to of the schema is refused'),
  }),
};

/** Rules for each field of Chat Completions in generateContent. */
export const GEMINI_FIELDS: FieldRules = { ...CHAT_FIELDS, ...TOP_LEVEL, ...NESTED };
