import { carried, type FieldRules, ignored, refused, under } from '../../translation/field-rules.ts';
import { CHAT_FIELDS } from '../shared/chat-fields.ts';

const AS_SENT = carried('as it is');
const NO_CACHE = 'the provider caches by itself';
const IN_RANGE = 'a value outside of its range becomes the nearest and is named';

/** Top-level fields that differ from CHAT_FIELDS. */
const TOP_LEVEL: FieldRules = {
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
  tool_choice: carried('`tool_choice`; where one tool is named, or some, the others are not sent'),
  response_format: carried('`response_format` of the type `json_object`; refused beside tools'),
  reasoning_effort: carried('`thinking`; left out and named where the model cannot think'),
  thinking: carried(
    '`thinking`, its `budget_tokens` as `token_budget`; left out and named where the model cannot think',
  ),

  web_search_options: refused('cannot search'),

  cache_control: ignored(NO_CACHE),
};

/** Nested fields that differ from CHAT_FIELDS, by path without indexes. */
const NESTED: FieldRules = {
  ...under('messages[]', {
    role: carried('`role`; `developer` becomes `system`'),
    content: carried('`content`; beside `tool_calls` it becomes `tool_plan`'),
    tool_calls: carried('`tool_calls`'),
    tool_call_id: carried('`tool_call_id`; refused where it is not that of a call right before'),
    reasoning_content: carried('a part `thinking`; left out and named where the model cannot think'),
    reasoning_details: carried(
      'their texts, where `reasoning_content` is missing; what another provider has signed is named',
    ),
    cache_control: ignored(NO_CACHE),
  }),
  ...under('messages[].content[]', {
    type: carried('a part; refused when it is neither text, refusal nor image_url'),
    image_url: carried('`image_url`; refused outside of messages of users, and where the model sees none'),
    cache_control: ignored(NO_CACHE),
    file: refused('takes no files'),
  }),
  ...under('messages[].content[].image_url', { url: AS_SENT, detail: AS_SENT }),
  ...under('messages[].tool_calls[]', {
    id: carried('`id`; refused where two of a turn are the same'),
    type: carried('refused when it is no function'),
    function: carried('`function`'),
  }),
  ...under('messages[].tool_calls[].function', {
    name: AS_SENT,
    arguments: carried('`arguments`; none become `{}`, what is no JSON object is refused'),
  }),
  ...under('tools[]', {
    function: carried('a tool'),
    cache_control: ignored(NO_CACHE),
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
  }),
  ...under('tool_choice.allowed_tools', { mode: carried('`tool_choice`'), tools: carried('`tools`') }),
  ...under('response_format', { type: carried('`type`'), json_schema: carried('`json_schema`') }),
  ...under('response_format.json_schema', {
    schema: carried('`json_schema`'),
    strict: carried('the provider always keeps to the schema'),
  }),
};

/** Rules for each field of Chat Completions in POST /v2/chat. */
export const COHERE_FIELDS: FieldRules = { ...CHAT_FIELDS, ...TOP_LEVEL, ...NESTED };
