import { carried, type FieldRules, ignored } from '../../translation/field-rules.ts';
import { ANTHROPIC_FIELDS } from '../anthropic/anthropic-fields.ts';

const CACHE_POINT = carried('a `cachePoint` after it; left out and named where the model has none there');

/** Fields that differ between Converse and Messages. */
const CONVERSE_RULES: FieldRules = {
  model: carried('the path'),
  messages: carried(
    '`messages`; all system and developer messages become `system`, messages of one role after another become ' +
      'one, and texts without a visible character are left out',
  ),
  max_completion_tokens: carried(
    '`inferenceConfig.maxTokens`; without it, the most that the catalog says of the model',
  ),
  max_tokens: carried('`inferenceConfig.maxTokens`, unless `max_completion_tokens` is there'),
  temperature: carried('`inferenceConfig.temperature`; one above 1 becomes 1 and is named'),
  top_p: carried('`inferenceConfig.topP`'),
  top_k: carried("one of the model's own fields; left out and named where it has none"),
  stop: carried('`inferenceConfig.stopSequences`; those without a visible character are left out and named'),
  stream: carried('the path'),
  tools: carried('`toolConfig.tools`'),
  functions: carried('`toolConfig.tools`; their calls are answered in `tool_calls`'),
  tool_choice: carried(
    '`toolConfig.toolChoice`; `none` leaves the tools out, and is refused after calls of tools',
  ),
  function_call: carried('`toolConfig.toolChoice`, as `tool_choice`'),
  parallel_tool_calls: ignored('the model decides how many it calls at once', (value) => value === true),
  response_format: carried(
    '`outputConfig.textFormat` of a JSON schema; `json_object` becomes an instruction in `system`',
  ),
  reasoning_effort: carried(
    "one of the model's own fields; left out and named where it has none; a high one becomes medium and is named " +
      'where the model takes no bound of the answer with it; left out and named where a model of Nova goes on ' +
      'after results of tools without its earlier thinking',
  ),
  thinking: carried('as `reasoning_effort`, by its budget, unless that is there'),
  service_tier: carried(
    '`serviceTier.type`: `flex` or `priority`, or for Claude a header; others are refused',
  ),
  cache_control: CACHE_POINT,

  'messages[].content': carried('`content`'),
  'messages[].tool_calls': carried('`toolUse` blocks'),
  'messages[].function_call': carried('a `toolUse` block'),
  'messages[].tool_call_id': carried('`toolResult.toolUseId`'),
  'messages[].is_error': carried('`toolResult.status`'),
  'messages[].reasoning_details': carried(
    '`reasoningContent` blocks, before all else; those without a signature of the provider are left out and named',
  ),
  'messages[].cache_control': CACHE_POINT,
  'messages[].content[].image_url': carried('`image`; refused outside of messages of users and tools'),
  'messages[].content[].file': carried('`document`; refused outside of messages of users and tools'),
  'messages[].content[].cache_control': CACHE_POINT,
  'messages[].content[].image_url.url': carried(
    '`source.bytes`: a JPEG, PNG, GIF or WebP in base64; an address is refused',
  ),
  'messages[].content[].file.file_data': carried(
    '`source.bytes`: a PDF, text or picture in base64; an address is refused',
  ),
  'messages[].content[].file.filename': carried('`name`, in the letters that Bedrock takes'),
  'messages[].tool_calls[].id': carried('`toolUse.toolUseId`'),
  'messages[].tool_calls[].type': carried('`toolUse`; refused when it is no function'),
  'messages[].tool_calls[].function': carried('`toolUse`'),
  'messages[].tool_calls[].function.name': carried('`toolUse.name`'),
  'messages[].tool_calls[].function.arguments': carried('`toolUse.input`; refused when it is no JSON object'),
  'messages[].function_call.name': carried('`toolUse.name`'),
  'messages[].function_call.arguments': carried('`toolUse.input`; refused when it is no JSON object'),
  'tools[].function': carried('a `toolSpec`'),
  'tools[].cache_control': carried('left out and named: the models that have cache points take none there'),
  'tools[].function.parameters': carried('`inputSchema.json`'),
  'tools[].function.strict': carried('`strict`; left out and named where the model has none'),
  'tools[].function.cache_control': carried('as `tools[].cache_control`'),
  'functions[].parameters': carried('`inputSchema.json`'),
  'functions[].strict': carried('`strict`; left out and named where the model has none'),
  'functions[].cache_control': carried('as `tools[].cache_control`'),
  'response_format.json_schema.name': carried('`name`'),
  'response_format.json_schema.description': carried('`description`'),
};

export const CONVERSE_FIELDS: FieldRules = { ...ANTHROPIC_FIELDS, ...CONVERSE_RULES };
