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
const NO_CACHE = 'the provider caches by itself';
const IN_RANGE = 'a value outside of its range becomes the nearest and is named';

/** The members of a request at its top level. A field that is not listed is left out, and named. */
const TOP_LEVEL: FieldRules = {
  model: carried("`model`, the provider's name of it"),
  messages: carried('`messages`; those without a visible character are left out'),
  max_completion_tokens: carried('`max_tokens`'),
  max_tokens: carried('`max_tokens`, unless `max_completion_tokens` is there'),
  temperature: carried(`\`temperature\`, 0 to 1; ${IN_RANGE}`),
  top_p: carried(`\`p\`, 0.01 to 0.99; ${IN_RANGE}`),
  top_k: carried(`\`k\`, 0 to 500; ${IN_RANGE}`),
  frequency_penalty: carried(`\`frequency_penalty\`, 0 to 1; ${IN_RANGE}`),
  presence_penalty: carried(`\`presence_penalty\`, 0 to 1; ${IN_RANGE}`),
  seed: AS_SENT,
  stop: carried('`stop_sequences`; more than five are refused'),
  stream: AS_SENT,
  stream_options: AS_SENT,
  tools: carried('`tools`'),
  tool_choice: carried('`tool_choice`; where one tool is named, or some, the others are not sent'),
  response_format: carried('`response_format` of the type `json_object`; refused beside tools'),
  reasoning_effort: carried('`thinking`; left out and named where the model cannot think'),
  thinking: carried(
    '`thinking`, its `budget_tokens` as `token_budget`; left out and named where the model cannot think',
  ),

  n: refused('gives one answer to a request', (value) => value === 1),
  functions: refused('takes functions in `tools` only', isEmpty),
  function_call: refused('takes functions in `tools` only', (value) => value === 'auto' || value === 'none'),
  logprobs: refused('tells no probabilities', (value) => value === false),
  top_logprobs: refused('tells no probabilities', (value) => value === 0),
  logit_bias: refused('takes no bias for single tokens', isEmpty),
  modalities: refused('answers in text only', isTextOnly),
  audio: refused('answers in text only'),
  web_search_options: refused('cannot search'),

  parallel_tool_calls: ignored('the model decides how many calls it makes', (value) => value === true),
  prediction: ignored('only makes an answer faster'),
  verbosity: ignored('the messages can ask for it'),
  service_tier: ignored('the tier is the operator’s choice'),
  user: ignored('it may be personal'),
  safety_identifier: ignored('it may be personal'),
  metadata: ignored(TAG, isEmpty),
  store: ignored(TAG),
  prompt_cache_key: ignored(NO_CACHE),
  prompt_cache_retention: ignored(NO_CACHE),
  cache_control: ignored(NO_CACHE),
};

const NAMED: FieldRules = { name: carried('`name`') };

/** Members of members, by the path without its numbers. */
const NESTED: FieldRules = {
  ...under('stream_options', {
    include_usage: carried('the gateway sends the usage'),
    include_obfuscation: ignored('the gateway sends none'),
  }),
  ...under('messages[]', {
    role: carried('`role`; `developer` becomes `system`'),
    content: carried('`content`; beside `tool_calls` it becomes `tool_plan`'),
    tool_calls: carried('`tool_calls`'),
    tool_call_id: carried('`tool_call_id`; refused where it is not that of a call right before'),
    refusal: carried('a text'),
    reasoning_content: carried('a part `thinking`; left out and named where the model cannot think'),
    reasoning_details: carried(
      'their texts, where `reasoning_content` is missing; what another provider has signed is named',
    ),
    function_call: refused('takes calls in `tool_calls` only'),
    is_error: ignored('the result says so itself', (value) => value === false),
    name: ignored('messages have no names'),
    cache_control: ignored(NO_CACHE),
    annotations: ignored('the text says the same', isEmpty),
    audio: refused('takes no audio'),
    images: refused('takes pictures as parts of `content` only', isEmpty),
  }),
  ...under('messages[].content[]', {
    type: carried('a part; refused when it is neither text, refusal nor image_url'),
    text: carried('`text`'),
    refusal: carried('a text'),
    image_url: carried('`image_url`; refused outside of messages of users, and where the model sees none'),
    cache_control: ignored(NO_CACHE),
    file: refused('takes no files'),
    input_audio: refused('takes no audio'),
    video_url: refused('takes no video'),
  }),
  ...under('messages[].content[].image_url', { url: AS_SENT, detail: AS_SENT }),
  ...under('messages[].tool_calls[]', {
    id: carried('`id`; refused where two of a turn are the same'),
    type: carried('refused when it is no function'),
    function: carried('`function`'),
    custom: refused('calls functions only'),
    extra_content: ignored('it is meant for another provider'),
    index: ignored('only a stream needs it', (value) => typeof value === 'number'),
  }),
  ...under('messages[].tool_calls[].function', {
    name: AS_SENT,
    arguments: carried('`arguments`; none become `{}`, what is no JSON object is refused'),
  }),
  ...under('tools[]', {
    type: carried('refused when it is no function'),
    function: carried('a tool'),
    cache_control: ignored(NO_CACHE),
    custom: refused('calls functions only'),
  }),
  ...under('tools[].function', {
    name: AS_SENT,
    description: AS_SENT,
    parameters: carried('`parameters`; without them, those of an object'),
    strict: carried(
      '`strict_tools`, where all tools are and each has a required parameter; else left out and named',
    ),
    cache_control: ignored(NO_CACHE),
  }),
  ...under('tool_choice', {
    type: carried('`REQUIRED` or `NONE`'),
    function: carried('`tools` without all others'),
    allowed_tools: carried('`tools` without all others'),
    custom: refused('calls functions only'),
  }),
  ...under('tool_choice.function', NAMED),
  ...under('tool_choice.allowed_tools', { mode: carried('`tool_choice`'), tools: carried('`tools`') }),
  ...under('tool_choice.allowed_tools.tools[]', {
    type: carried('only functions'),
    function: carried('by name'),
  }),
  ...under('tool_choice.allowed_tools.tools[].function', NAMED),
  ...under('response_format', { type: carried('`type`'), json_schema: carried('`json_schema`') }),
  ...under('response_format.json_schema', {
    schema: carried('`json_schema`'),
    strict: carried('the provider always keeps to the schema'),
    name: ignored('schemas have no names'),
    description: ignored('the schema has its own'),
  }),
};

/** Rules for each field of Chat Completions in POST /v2/chat. */
export const COHERE_FIELDS: FieldRules = { ...TOP_LEVEL, ...NESTED };
