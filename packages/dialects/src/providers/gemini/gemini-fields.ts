import { carried, type FieldRules, ignored, isEmpty, refused, under } from '../../translation/field-rules.ts';

/** Source: "Penalty is not enabled" (https://github.com/google-gemini/cookbook/issues/1290). */
const NO_PENALTY = 'current models refuse it';
const isZero = (value: unknown) => value === 0;

const TAG = 'tags the request for its sender';
const BY_ITSELF = 'the provider caches by itself';

/** The members of a request at its top level. A field that is not listed is left out, and named. */
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

  n: refused('gives one answer to a request', (value) => value === 1),
  logprobs: refused('tells no probabilities', (value) => value === false),
  top_logprobs: refused('tells no probabilities', (value) => value === 0),
  logit_bias: refused('takes no bias for single tokens', isEmpty),
  audio: refused('speaks in POST /v1/audio/speech only'),
  web_search_options: refused('cannot be given a search in Chat Completions'),

  parallel_tool_calls: ignored('the model decides how many calls it makes', (value) => value === true),
  cache_control: ignored(`wherever it stands: ${BY_ITSELF}`),
  prediction: ignored('only makes an answer faster'),
  verbosity: ignored('the messages can ask for it'),
  service_tier: ignored('the tier is the operator’s choice'),
  user: ignored('it may be personal'),
  safety_identifier: ignored('it may be personal'),
  metadata: ignored(TAG, isEmpty),
  store: ignored(TAG),
  prompt_cache_key: ignored(BY_ITSELF),
  prompt_cache_retention: ignored(BY_ITSELF),
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

/** Members of members, by the path without its numbers. */
const NESTED: FieldRules = {
  ...under('stream_options', {
    include_usage: carried('the gateway sends the usage'),
    include_obfuscation: ignored('the gateway sends none'),
  }),
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
    refusal: carried('a text'),
    reasoning_details: carried(
      '`thoughtSignature`, byte for byte, and thoughts that are signed; those of other providers are left out ' +
        'and named',
    ),
    reasoning_content: carried('by `reasoning_details`; left out and named where it is not signed'),
    name: ignored('messages have no names'),
    annotations: ignored('the text says the same', isEmpty),
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
    text: carried('`text`'),
    refusal: carried('a text'),
    image_url: carried('`inlineData` or `fileData`; refused outside of messages of users and tools'),
    video_url: carried('as `image_url`'),
    file: carried('`inlineData` or `fileData`; refused outside of messages of users and tools'),
    input_audio: carried('`inlineData`; refused outside of messages of users and tools'),
  }),
  ...under('messages[].content[].image_url', {
    url: carried('`inlineData` for base64; `fileData` for a URL, its type by the ending'),
    detail: ignored('the provider reads pictures at one resolution', (value) => value === 'auto'),
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
    custom: refused('calls functions only'),
    extra_content: carried('see its members'),
    index: ignored('only a stream needs it', (value) => typeof value === 'number'),
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
    type: carried('refused when it is no function'),
    function: carried('a function declaration'),
    custom: refused('calls functions only'),
  }),
  ...under('tools[].function', FUNCTION),
  ...under('functions[]', FUNCTION),
  ...under('tool_choice', {
    type: carried('`mode`'),
    function: carried('`allowedFunctionNames`'),
    allowed_tools: carried('`functionDeclarations` without all others'),
    custom: refused('calls functions only'),
  }),
  ...under('tool_choice.function', NAMED),
  ...under('tool_choice.allowed_tools', { mode: carried('`mode`'), tools: carried('by name') }),
  ...under('tool_choice.allowed_tools.tools[]', {
    type: carried('only functions'),
    function: carried('by name'),
  }),
  ...under('tool_choice.allowed_tools.tools[].function', NAMED),
  ...under('function_call', NAMED),
  ...under('response_format', {
    type: carried('`responseMimeType`'),
    json_schema: carried('see its members'),
  }),
  ...under('response_format.json_schema', {
    schema: carried(`\`responseJsonSchema\`: ${SCHEMA}, or refused where \`strict\` is true`),
    strict: carried('what Gemini cannot keep to of the schema is refused'),
    name: ignored('schemas have no names'),
    description: ignored('the schema has its own'),
  }),
};

/** Rules for each field of Chat Completions in generateContent. */
export const GEMINI_FIELDS: FieldRules = { ...TOP_LEVEL, ...NESTED };
