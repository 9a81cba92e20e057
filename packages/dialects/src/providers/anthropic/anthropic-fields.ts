import {
  carried,
  type FieldRules,
  ignored,
  isEmpty,
  isTextOnly,
  refused,
  under,
} from '../../translation/field-rules.ts';

const TAG = 'tags the request for its sender';
const AS_SENT = carried('as it is');

/** The members of a request at its top level. A field that is not listed is left out, and named. */
const TOP_LEVEL: FieldRules = {
  model: carried("`model`, the provider's name of it"),
  messages: carried(
    '`messages`; all system and developer messages become `system`, messages of one role after another become ' +
      'one, and texts without a visible character are left out',
  ),
  max_completion_tokens: carried('`max_tokens`; without it, the most that the catalog says of the model'),
  max_tokens: carried('`max_tokens`, unless `max_completion_tokens` is there'),
  temperature: carried(
    '`temperature`; one above 1 becomes 1 and is named; left out and named where the model, or thinking, ' +
      'takes none',
  ),
  top_p: carried(
    '`top_p`; left out and named beside `temperature` and where the model, or thinking, takes none',
  ),
  top_k: carried('`top_k`; left out and named where the model, or thinking, takes none'),
  stop: carried('`stop_sequences`; those without a visible character are left out and named'),
  stream: AS_SENT,
  stream_options: AS_SENT,
  tools: carried('`tools`'),
  functions: carried('`tools`; their calls are answered in `tool_calls`'),
  tool_choice: carried('`tool_choice`'),
  function_call: carried('`tool_choice`'),
  parallel_tool_calls: carried('`tool_choice.disable_parallel_tool_use`'),
  response_format: carried(
    '`output_config.format` of a JSON schema; `json_object` is left out and named: the messages must ask for ' +
      'JSON anyway',
  ),
  reasoning_effort: carried(
    '`thinking` and `output_config.effort`, or `thinking.budget_tokens` of older models; left out and named ' +
      'where a tool is forced, `max_tokens` leaves no room, or earlier thinking is missing',
  ),
  thinking: carried('as it is; left out and named where a tool is forced or earlier thinking is missing'),
  cache_control: AS_SENT,

  n: refused('gives one answer to a request', (value) => value === 1),
  logprobs: refused('tells no probabilities', (value) => value === false),
  top_logprobs: refused('tells no probabilities', (value) => value === 0),
  logit_bias: refused('takes no bias for single tokens', isEmpty),
  modalities: refused('answers in text only', isTextOnly),
  audio: refused('answers in text only'),
  web_search_options: refused('cannot be given a search in Chat Completions'),

  seed: ignored('the provider samples without one'),
  frequency_penalty: ignored('the provider has no penalties', (value) => value === 0),
  presence_penalty: ignored('the provider has no penalties', (value) => value === 0),
  prediction: ignored('only makes an answer faster'),
  verbosity: ignored('the messages can ask for it'),
  service_tier: ignored('the tier is the operator’s choice'),
  user: ignored('it may be personal'),
  safety_identifier: ignored('it may be personal'),
  metadata: ignored(TAG, isEmpty),
  store: ignored(TAG),
  prompt_cache_key: ignored('`cache_control` says what is cached'),
  prompt_cache_retention: ignored('`cache_control` says what is cached'),
};

const NAMED: FieldRules = { name: carried('`name`') };

const CALL: FieldRules = {
  name: carried('`tool_use.name`'),
  arguments: carried('`tool_use.input`; refused when it is no JSON object'),
};

const FUNCTION: FieldRules = {
  name: carried('`name`'),
  description: carried('`description`'),
  parameters: carried('`input_schema`'),
  strict: carried('`strict`; left out and named where the model has none'),
  cache_control: AS_SENT,
};

/** Members of members, by the path without its numbers. */
const NESTED: FieldRules = {
  ...under('stream_options', {
    include_usage: carried('the gateway sends the usage'),
    include_obfuscation: ignored('the gateway sends none'),
  }),
  ...under('messages[]', {
    role: AS_SENT,
    content: carried('`content`'),
    tool_calls: carried('`tool_use` blocks'),
    function_call: carried('a `tool_use` block'),
    tool_call_id: carried('`tool_result.tool_use_id`'),
    is_error: carried('`tool_result.is_error`'),
    refusal: carried('a text'),
    reasoning_details: carried(
      '`thinking` and `redacted_thinking` blocks, before all else; those without a signature of the provider ' +
        'are left out and named',
    ),
    reasoning_content: carried('by `reasoning_details`; without them it is left out and named'),
    cache_control: carried('on the last block of the message'),
    name: ignored('messages have no names'),
    annotations: ignored('the text says the same', isEmpty),
    audio: refused('takes no audio'),
    images: refused('takes pictures as parts of `content` only', isEmpty),
  }),
  ...under('messages[].content[]', {
    type: carried('a block; refused when it is neither text, refusal, image_url nor file'),
    text: carried('`text`'),
    refusal: carried('a text'),
    image_url: carried('`image`; refused outside of messages of users and tools'),
    file: carried('`document`; refused outside of messages of users and tools'),
    cache_control: AS_SENT,
    input_audio: refused('takes no audio'),
    video_url: refused('takes no video'),
  }),
  ...under('messages[].content[].image_url', {
    url: carried('`source`: a URL, or a JPEG, PNG, GIF or WebP in base64'),
    detail: ignored('the provider reads pictures at one resolution', (value) => value === 'auto'),
  }),
  ...under('messages[].content[].file', {
    file_data: carried('`source`: a URL, or a PDF, text or picture in base64'),
    filename: carried('`title`'),
    file_id: refused('cannot read files that are stored at another provider'),
  }),
  ...under('messages[].tool_calls[]', {
    id: carried('`tool_use.id`'),
    type: carried('`tool_use`; refused when it is no function'),
    function: carried('`tool_use`'),
    custom: refused('calls functions only'),
    extra_content: ignored('it is meant for another provider'),
    index: ignored('only a stream needs it', (value) => typeof value === 'number'),
  }),
  ...under('messages[].tool_calls[].function', CALL),
  ...under('messages[].function_call', CALL),
  ...under('tools[]', {
    type: carried('refused when it is no function'),
    function: carried('a tool'),
    cache_control: AS_SENT,
    custom: refused('calls functions only'),
  }),
  ...under('tools[].function', FUNCTION),
  ...under('functions[]', FUNCTION),
  ...under('tool_choice', {
    type: carried('`type`'),
    function: carried('`name`'),
    allowed_tools: carried('`tools` without all others'),
    custom: refused('calls functions only'),
  }),
  ...under('tool_choice.function', NAMED),
  ...under('tool_choice.allowed_tools', { mode: carried('`type`'), tools: carried('`tools`') }),
  ...under('tool_choice.allowed_tools.tools[]', {
    type: carried('only functions'),
    function: carried('by name'),
  }),
  ...under('tool_choice.allowed_tools.tools[].function', NAMED),
  ...under('function_call', NAMED),
  ...under('response_format', { type: carried('`type`'), json_schema: carried('`schema`') }),
  ...under('response_format.json_schema', {
    schema: carried('`schema`; objects that say nothing of further members have none'),
    strict: carried('the provider always keeps to the schema'),
    name: ignored('schemas have no names'),
    description: ignored('the schema has its own'),
  }),
};

/** Rules for each field of Chat Completions in Messages. */
export const ANTHROPIC_FIELDS: FieldRules = { ...TOP_LEVEL, ...NESTED };
