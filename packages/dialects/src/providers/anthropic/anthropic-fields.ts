import { carried, type FieldRules, ignored, refused, under } from '../../translation/field-rules.ts';
import { CHAT_FIELDS } from '../shared/chat-fields.ts';

const AS_SENT = carried('as it is');

/** Top-level fields that differ from CHAT_FIELDS. */
const TOP_LEVEL: FieldRules = {
  messages: carried(
    '`messages`; system and developer messages become `system`, or turns of that role after a turn of the user where ' +
      'the model has them; messages of one role after another become ' +
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
  functions: carried('`tools`; their calls are answered in `tool_calls`'),
  tool_choice: carried('`tool_choice`'),
  function_call: carried('`tool_choice`'),
  parallel_tool_calls: carried('`tool_choice.disable_parallel_tool_use`'),
  response_format: carried(
    '`output_config.format` of a JSON schema; `json_object` becomes an instruction in `system`',
  ),
  reasoning_effort: carried(
    '`thinking` and `output_config.effort`, or `thinking.budget_tokens` of older models; left out and named ' +
      'where a tool is forced, `max_tokens` leaves no room, or earlier thinking is missing',
  ),
  thinking: carried('as it is; left out and named where a tool is forced or earlier thinking is missing'),
  service_tier: carried(
    '`service_tier`: `auto` and `priority` are `auto`, `default` is `standard_only`; others are refused',
  ),
  cache_control: AS_SENT,

  web_search_options: refused('cannot be given a search in Chat Completions'),

  frequency_penalty: ignored('the provider has no penalties', (value) => value === 0),
  presence_penalty: ignored('the provider has no penalties', (value) => value === 0),
  prompt_cache_key: carried(
    '`cache_control` at the end of the conversation, unless the request has marks of its own',
  ),
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

/** Nested fields that differ from CHAT_FIELDS, by path without indexes. */
const NESTED: FieldRules = {
  ...under('messages[]', {
    role: AS_SENT,
    content: carried('`content`'),
    tool_calls: carried('`tool_use` blocks'),
    function_call: carried('a `tool_use` block'),
    tool_call_id: carried('`tool_result.tool_use_id`'),
    is_error: carried('`tool_result.is_error`'),
    reasoning_details: carried(
      '`thinking` and `redacted_thinking` blocks, before all else; those without a signature of the provider ' +
        'are left out and named',
    ),
    reasoning_content: carried('by `reasoning_details`; without them it is left out and named'),
    cache_control: carried('on the last block of the message'),
  }),
  ...under('messages[].content[]', {
    type: carried('a block; refused when it is neither text, refusal, image_url nor file'),
    image_url: carried('`image`; refused outside of messages of users and tools'),
    file: carried('`document`; refused outside of messages of users and tools'),
    cache_control: AS_SENT,
  }),
  ...under('messages[].content[].image_url', {
    url: carried('`source`: a URL, or a JPEG, PNG, GIF or WebP in base64'),
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
  }),
  ...under('messages[].tool_calls[].function', CALL),
  ...under('messages[].function_call', CALL),
  ...under('tools[]', {
    function: carried('a tool'),
    cache_control: AS_SENT,
  }),
  ...under('tools[].function', FUNCTION),
  ...under('functions[]', FUNCTION),
  ...under('tool_choice', {
    type: carried('`type`'),
    function: carried('`name`'),
    allowed_tools: carried('`tools` without all others'),
  }),
  ...under('tool_choice.allowed_tools', { mode: carried('`type`'), tools: carried('`tools`') }),
  ...under('function_call', NAMED),
  ...under('response_format', { type: carried('`type`'), json_schema: carried('`schema`') }),
  ...under('response_format.json_schema', {
    schema: carried('`schema`; objects that say nothing of further members have none'),
    strict: carried('the provider always keeps to the schema'),
  }),
};

/** Rules for each field of Chat Completions in Messages. */
export const ANTHROPIC_FIELDS: FieldRules = { ...CHAT_FIELDS, ...TOP_LEVEL, ...NESTED };
