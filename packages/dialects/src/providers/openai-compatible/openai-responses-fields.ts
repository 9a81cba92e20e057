import { carried, type FieldRules, ignored, isEmpty, refused, under } from '../../translation/field-rules.ts';
import { CHAT_FIELDS } from '../shared/chat-fields.ts';

const AS_SENT = carried('as it is');
const NO_CACHE = 'the provider caches by itself';

/** Top-level fields that differ from CHAT_FIELDS. */
const TOP_LEVEL: FieldRules = {
  messages: carried('`input`'),
  max_completion_tokens: carried('`max_output_tokens`; less than 16 becomes 16 and is named'),
  max_tokens: carried('`max_output_tokens`, unless `max_completion_tokens` is there'),
  temperature: carried('`temperature`; 1, which is usual, is left out, because reasoning models take none'),
  top_p: carried('`top_p`; 1, which is usual, is left out'),
  frequency_penalty: carried('`frequency_penalty`, unless it is 0'),
  presence_penalty: carried('`presence_penalty`, unless it is 0'),
  tool_choice: carried('`tool_choice`'),
  parallel_tool_calls: AS_SENT,
  response_format: carried('`text.format`'),
  verbosity: carried('`text.verbosity`'),
  reasoning_effort: carried('`reasoning.effort`'),
  thinking: carried(
    '`reasoning.summary: auto`, and `reasoning.effort` by `budget_tokens` unless `reasoning_effort` is there',
  ),
  web_search_options: carried('a tool `web_search`'),
  service_tier: AS_SENT,
  user: AS_SENT,
  safety_identifier: AS_SENT,
  metadata: AS_SENT,
  prompt_cache_key: AS_SENT,
  prompt_cache_retention: AS_SENT,

  stop: refused('stops at no texts', isEmpty),

  top_k: ignored('the provider has no such setting'),
  store: ignored('nothing is stored', (value) => value === false),
  cache_control: ignored(NO_CACHE),
};

const NAMED: FieldRules = { name: carried('`name`') };

/** Nested fields that differ from CHAT_FIELDS, by path without indexes. */
const NESTED: FieldRules = {
  ...under('messages[]', {
    role: AS_SENT,
    content: carried('`content`; of a tool `output`'),
    tool_calls: carried('items `function_call` and `custom_tool_call`'),
    tool_call_id: carried('`call_id`'),
    refusal: carried('a part `refusal`'),
    reasoning_details: carried('items `reasoning`; what another provider has signed is left out and named'),
    reasoning_content: carried('by `reasoning_details`; without them it is left out and named'),
    cache_control: ignored(NO_CACHE),
  }),
  ...under('messages[].content[]', {
    type: carried('a part; refused when it is neither text, refusal, image_url nor file'),
    text: carried('`input_text` or `output_text`'),
    refusal: carried('`refusal`'),
    image_url: carried('`input_image`; refused outside of messages of users and tools'),
    file: carried('`input_file`; refused outside of messages of users and tools'),
    cache_control: ignored(NO_CACHE),
  }),
  ...under('messages[].content[].image_url', { url: carried('`image_url`'), detail: AS_SENT }),
  ...under('messages[].content[].file', {
    file_data: AS_SENT,
    file_id: AS_SENT,
    filename: AS_SENT,
  }),
  ...under('messages[].tool_calls[]', {
    id: carried('`call_id`; one of more than 64 characters is replaced'),
    type: carried('`function_call` or `custom_tool_call`'),
    function: carried('`function_call`'),
    custom: carried('`custom_tool_call`'),
  }),
  ...under('messages[].tool_calls[].function', { name: AS_SENT, arguments: AS_SENT }),
  ...under('messages[].tool_calls[].custom', { name: AS_SENT, input: AS_SENT }),
  ...under('tools[]', {
    type: AS_SENT,
    function: carried('its members'),
    custom: carried('its members'),
    cache_control: ignored(NO_CACHE),
  }),
  ...under('tools[].function', {
    name: AS_SENT,
    description: AS_SENT,
    parameters: AS_SENT,
    strict: carried('`strict`; false without one'),
    cache_control: ignored(NO_CACHE),
  }),
  ...under('tools[].custom', { name: AS_SENT, description: AS_SENT, format: AS_SENT }),
  ...under('tools[].custom.format', { type: AS_SENT, grammar: carried('its members') }),
  ...under('tools[].custom.format.grammar', { syntax: AS_SENT, definition: AS_SENT }),
  ...under('tool_choice', {
    type: AS_SENT,
    function: carried('`name`'),
    custom: carried('`name`'),
    allowed_tools: carried('`mode` and `tools`'),
  }),
  ...under('tool_choice.custom', NAMED),
  ...under('tool_choice.allowed_tools', { mode: AS_SENT, tools: AS_SENT }),
  ...under('tool_choice.allowed_tools.tools[]', {
    type: AS_SENT,
    function: carried('`name`'),
    custom: carried('`name`'),
  }),
  ...under('tool_choice.allowed_tools.tools[].custom', NAMED),
  ...under('response_format', { type: AS_SENT, json_schema: carried('its members') }),
  ...under('response_format.json_schema', {
    name: AS_SENT,
    description: AS_SENT,
    schema: AS_SENT,
    strict: AS_SENT,
  }),
  ...under('web_search_options', {
    search_context_size: AS_SENT,
    user_location: carried('its members'),
  }),
  ...under('web_search_options.user_location', {
    type: AS_SENT,
    approximate: carried('its members beside `type`'),
  }),
};

/** Rules for each field of Chat Completions in POST /responses. */
export const OPENAI_RESPONSES_FIELDS: FieldRules = { ...CHAT_FIELDS, ...TOP_LEVEL, ...NESTED };
