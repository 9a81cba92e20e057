import { isObject } from '../../json/json-object.ts';
import { carried, type FieldRules, ignored, refused } from '../../translation/field-rules.ts';

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;
const isDisabled = (value: unknown) => isObject(value) && (value.enabled ?? false) === false;

const NO_SERVER_TOOL = 'has no tools that its provider runs';
const NO_TYPED_TOOL = 'was not trained for tools of this type: describe the tool with an `input_schema`';
const NO_FILES = 'cannot read files that are stored at another provider';
const NO_TOOL_OF_PROVIDER = 'takes no results of tools that another provider has run';

/**
 * Brackets hold the type of a block or tool, without its date. Unlisted fields are ignored by name, unlisted
 * types are refused.
 * Source: Anthropic's API reference, and the types of its client library 1.12.
 */
export const MESSAGES_FIELDS: FieldRules = {
  model: carried('`model`'),
  models: carried('the gateway asks them in their order; no provider is told of them'),
  session_id: carried('the gateway groups requests by it; no provider is told of it'),
  messages: carried('`messages`; consecutive ones of one role become one'),
  system: carried('a message of the role `system`; its blocks are joined by an empty line'),
  max_tokens: carried('`max_completion_tokens`, at most what the model can write'),
  stream: carried('`stream`, with the usage'),
  temperature: carried('`temperature`'),
  top_p: carried('`top_p`'),
  stop_sequences: carried('`stop`; the answer then ends with `end_turn`'),
  tools: carried('`tools`'),
  tool_choice: carried('`tool_choice`'),
  output_config: carried('see its members'),
  output_format: carried('as `output_config.format`'),
  top_k: carried('`top_k`, where that is translated on; providers of Chat Completions have no such setting'),
  thinking: carried(
    '`thinking`, where that is translated on; to providers of Chat Completions it is not sent, and it is ' +
      'named: many refuse to be told how to think',
  ),
  metadata: ignored('only tags the request'),
  service_tier: carried('`service_tier`: `standard_only` is `default`, and `auto` is left out'),
  speed: ignored('the word of another provider'),
  context_management: ignored('the caller sends what the model is to read'),
  cache_control: ignored('wherever it stands: providers cache by themselves'),
  fallbacks: ignored('models of another provider'),
  betas: ignored('belongs into a header'),
  container: refused('has no containers'),
  thread: refused('keeps no conversation: send all of its messages'),
  mcp_servers: refused('has no MCP servers that its provider asks', isEmptyList),
  inference_geo: refused('cannot be bound to a place, but for `global`', (value) => value === 'global'),

  'output_config.format': carried('`response_format`'),
  'output_config.format.type': carried('`type`; refused when it is not `json_schema`'),
  'output_config.format.schema': carried('`json_schema.schema`'),
  'output_format.type': carried('as `output_config.format.type`'),
  'output_format.schema': carried('as `output_config.format.schema`'),
  'output_config.effort': carried(
    '`reasoning_effort`, where that is translated on; to providers of Chat Completions it is not sent, and it ' +
      'is named',
  ),
  'output_config.task_budget': ignored('many refuse to be told how to think'),

  'tool_choice.type': carried('`auto`, `required` for `any`, `none`, or the function for `tool`'),
  'tool_choice.name': carried('`tool_choice.function.name`'),
  'tool_choice.disable_parallel_tool_use': carried('`parallel_tool_calls: false`'),

  'tools[].type': carried('`function` for `custom`'),
  'tools[].name': carried('`function.name`'),
  'tools[].description': carried('`function.description`'),
  'tools[].input_schema': carried('`function.parameters`'),
  'tools[].strict': carried('`function.strict`'),
  'tools[].defer_loading': ignored('the model is told of every tool'),
  'tools[].eager_input_streaming': ignored('providers stream as they do'),
  'tools[].input_examples': ignored('Chat Completions has no place for them'),
  'tools[].allowed_callers': ignored('the model calls every tool itself'),
  'tools[bash]': refused(NO_TYPED_TOOL),
  'tools[text_editor]': refused(NO_TYPED_TOOL),
  'tools[computer]': refused(NO_TYPED_TOOL),
  'tools[memory]': refused(NO_TYPED_TOOL),
  'tools[web_search]': refused(NO_SERVER_TOOL),
  'tools[web_fetch]': refused(NO_SERVER_TOOL),
  'tools[code_execution]': refused(NO_SERVER_TOOL),
  'tools[tool_search_tool_regex]': refused(NO_SERVER_TOOL),
  'tools[tool_search_tool_bm25]': refused(NO_SERVER_TOOL),
  'tools[advisor]': refused(NO_SERVER_TOOL),
  'tools[mcp_toolset]': refused(NO_SERVER_TOOL),

  'content[text].text': carried('text'),
  'content[text].citations': ignored('only says where an earlier answer has its words from'),
  'content[image].source': carried('`image_url`, with a data URL for `base64`'),
  'content[image].source.type': carried('`base64` and `url`; others are refused'),
  'content[image].source.media_type': carried('of the data URL'),
  'content[image].source.data': carried('of the data URL'),
  'content[image].source.url': carried('`image_url.url`'),
  'content[image].source.file_id': refused(NO_FILES),
  'content[document].source': carried('`file` with a data URL for a PDF; else text and pictures'),
  'content[document].source.type': carried('`text`, `content` and `base64`; others are refused'),
  'content[document].source.media_type': carried('of the data URL'),
  'content[document].source.data': carried('text, or of the data URL'),
  'content[document].source.content': carried('text and pictures'),
  'content[document].source.url': refused('takes documents as text, or as a PDF in base64'),
  'content[document].source.file_id': refused(NO_FILES),
  'content[document].title': carried('the name of the file, or a line of the text'),
  'content[document].context': carried('text'),
  'content[document].citations': refused('cannot cite, but for `enabled: false`', isDisabled),
  'content[search_result].source': carried('a line of the text'),
  'content[search_result].title': carried('a line of the text'),
  'content[search_result].content': carried('text'),
  'content[search_result].citations': refused('cannot cite, but for `enabled: false`', isDisabled),
  'content[tool_use].id': carried('`tool_calls[].id`'),
  'content[tool_use].name': carried('`tool_calls[].function.name`'),
  'content[tool_use].input': carried('`tool_calls[].function.arguments`'),
  'content[tool_use].caller': ignored('the model has called every tool itself'),
  'content[tool_result].tool_use_id': carried('`tool_call_id` of a message of the role `tool`'),
  'content[tool_result].content': carried('its text; pictures and files follow in a message of the user'),
  'content[tool_result].is_error': carried('a first line of the text says that the call failed'),
  'content[thinking].thinking': carried('`reasoning_content`'),
  'content[thinking].signature': carried('`reasoning_details[].signature`'),
  'content[redacted_thinking].data': carried('`reasoning_details[].data`'),
  'content[container_upload]': refused('has no containers'),
  'content[server_tool_use]': refused(NO_TOOL_OF_PROVIDER),
  'content[mcp_tool_use]': refused(NO_TOOL_OF_PROVIDER),
  'content[mcp_tool_result]': refused(NO_TOOL_OF_PROVIDER),
  'content[web_search_tool_result]': refused(NO_TOOL_OF_PROVIDER),
  'content[web_fetch_tool_result]': refused(NO_TOOL_OF_PROVIDER),
  'content[code_execution_tool_result]': refused(NO_TOOL_OF_PROVIDER),
  'content[tool_search_tool_result]': refused(NO_TOOL_OF_PROVIDER),
  'content[tool_reference].tool_name': carried('text'),
  'content[tool_addition].tool': carried('text; refused where it does not name a tool of `tools`'),
  'content[tool_addition].tool.type': carried('`tool_reference`; others are refused'),
  'content[tool_addition].tool.name': carried('text'),
  'content[tool_removal].tool': carried('text; as `tool_addition`'),
  'content[tool_removal].tool.type': carried('as of `tool_addition`'),
  'content[tool_removal].tool.name': carried('text'),
  'content[compaction]': refused('takes no summaries that another model has sealed'),
};
