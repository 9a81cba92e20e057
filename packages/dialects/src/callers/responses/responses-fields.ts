import { carried, type FieldRules, ignored, is, isEmpty, refused } from '../../translation/field-rules.ts';

/** Accepts any value: the field means nothing to a model, so it is not named. */
const always = () => true;

const SEND_ALL = 'send the whole conversation in `input`, with `store: false`';
const TAG = 'tags the request for its sender';
const PERSONAL = 'it may be personal';
const HOSTED = 'left out: a model of another API has none that its provider runs';
const NO_TYPED_TOOL =
  'was not trained for tools of this type: describe the tool as a `function` or a `custom` tool';
const OF_THE_DRAWING = 'it tells how the picture was drawn';
const NO_TOOL_OF_PROVIDER = 'takes no calls or results of tools that another provider has run';
const NO_FILES = 'cannot read files that are stored at another provider';
const NO_SUMMARY = 'takes no summaries that another model has sealed';
const ITEMS_NAME = ignored('names or dates the item: never listed', always);
const STATUS = ignored('the item is as it is: never listed', always);

const TOP_LEVEL: FieldRules = {
  model: carried('`model`'),
  models: carried('the gateway asks them in their order; no provider is told of them'),
  session_id: carried('the gateway groups requests by it; no provider is told of it'),
  input: carried('`messages`; consecutive ones of one role become one'),
  instructions: carried('a message of the role `system`, before all others'),
  max_output_tokens: carried('`max_completion_tokens`, at most what the model can write'),
  stream: carried('`stream`, with the usage'),
  stream_options: carried('see its members'),
  temperature: carried('`temperature`'),
  top_p: carried('`top_p`'),
  frequency_penalty: carried('`frequency_penalty`, but for 0'),
  presence_penalty: carried('`presence_penalty`, but for 0'),
  tools: carried('`tools`: functions; namespaces become part of their names'),
  tool_choice: carried('`tool_choice`; refused where it demands a tool that the provider would run'),
  parallel_tool_calls: carried('`parallel_tool_calls: false`; true is what is usual'),
  text: carried('see its members'),
  reasoning: carried('see its members'),
  include: carried('see its values'),

  previous_response_id: refused(`has no earlier responses to go on from: ${SEND_ALL}`),
  conversation: refused(`keeps no conversations: ${SEND_ALL}`),
  background: refused(
    'answers while the caller waits: leave `background` out, and send `store: false`',
    is(false),
  ),
  prompt: refused('knows no prompts that are stored at another provider: send `instructions` and `input`'),
  top_logprobs: refused('tells no probabilities here', is(0)),

  store: ignored(
    'not kept, unless the operator has the gateway keep responses; `store: false` is what is done anyway',
    is(false),
  ),
  truncation: ignored('nothing is left out of the input: a longer one is an error', is('disabled')),
  max_tool_calls: ignored('counts only tools that the provider runs'),
  context_management: ignored('the caller sends what the model is to read'),
  metadata: ignored(TAG, isEmpty),
  client_metadata: ignored(TAG, isEmpty),
  user: ignored(PERSONAL),
  safety_identifier: ignored(PERSONAL),
  prompt_cache_key: carried(
    '`prompt_cache_key`, for Claude; other providers cache by themselves, and it is named',
  ),
  prompt_cache_retention: ignored('providers cache by themselves'),
  service_tier: carried('`service_tier`; `auto` is left out'),

  'stream_options.include_obfuscation': ignored('the gateway sends none', is(false)),
  'text.format': carried('`response_format`'),
  'text.format.type': carried('`text`, `json_object` and `json_schema`; others are refused'),
  'text.format.name': carried('`json_schema.name`'),
  'text.format.description': carried('`json_schema.description`'),
  'text.format.schema': carried('`json_schema.schema`'),
  'text.format.strict': carried('`json_schema.strict`'),
  'text.verbosity': carried('`verbosity`, but for `medium`'),
  'reasoning.effort': carried('`reasoning_effort`'),
  'reasoning.summary': carried('what the provider tells of its reasoning is the summary'),
  'reasoning.generate_summary': carried('as `reasoning.summary`'),
  'include[reasoning.encrypted_content]': carried('what the provider wants back in the next turn'),
  'include[message.output_text.logprobs]': refused('tells no probabilities here'),
  'include[message.input_image.image_url]': ignored('the caller has its pictures'),
  'include[web_search_call.results]': ignored(HOSTED),
  'include[web_search_call.action.sources]': ignored(HOSTED),
  'include[file_search_call.results]': ignored(HOSTED),
  'include[code_interpreter_call.outputs]': ignored(HOSTED),
  'include[computer_call_output.output.image_url]': ignored(HOSTED),
};

const TOOLS: FieldRules = {
  'tools[function].name': carried('`function.name`; shortened, with a hash, where it is no plain name'),
  'tools[function].description': carried('`function.description`'),
  'tools[function].parameters': carried('`function.parameters`'),
  'tools[function].strict': carried('`function.strict`'),
  'tools[function].defer_loading': ignored('the model is told of every tool', is(false)),
  'tools[function].allowed_callers': ignored('the model calls every tool itself'),
  'tools[function].output_schema': ignored('Chat Completions has no place for it'),
  'tools[custom].name': carried('`function.name`, of a function with the text `input`'),
  'tools[custom].description': carried('`function.description`'),
  'tools[custom].format': carried('words in the description: nothing keeps the model to a grammar'),
  'tools[custom].format.type': carried('`text` and `grammar`; others are refused'),
  'tools[custom].format.syntax': carried('words in the description'),
  'tools[custom].format.definition': carried('words in the description'),
  'tools[custom].defer_loading': ignored('the model is told of every tool', is(false)),
  'tools[custom].allowed_callers': ignored('the model calls every tool itself'),
  'tools[namespace].name': carried('in front of the name of each of its tools; told apart in answers'),
  'tools[namespace].description': carried('in front of the description of its first tool'),
  'tools[namespace].tools': carried('functions, as all others'),
  'tools[web_search]': ignored(HOSTED),
  'tools[web_search_preview]': ignored(HOSTED),
  'tools[file_search]': ignored(HOSTED),
  'tools[code_interpreter]': ignored(HOSTED),
  'tools[image_generation]': ignored(HOSTED),
  'tools[mcp]': ignored(HOSTED),
  'tools[computer]': ignored(HOSTED),
  'tools[computer_use]': ignored(HOSTED),
  'tools[computer_use_preview]': ignored(HOSTED),
  'tools[tool_search]': ignored('the model is told of every tool'),
  'tools[programmatic_tool_calling]': ignored('the model calls every tool itself'),
  'tools[local_shell]': refused(NO_TYPED_TOOL),
  'tools[shell]': refused(`${NO_TYPED_TOOL}; one in a container of the provider is left out and named`),
  'tools[apply_patch]': refused(NO_TYPED_TOOL),

  'tool_choice.type': carried('the function for `function` and `custom`; `allowed_tools`'),
  'tool_choice.name': carried('`tool_choice.function.name`'),
  'tool_choice.namespace': carried('part of the name'),
  'tool_choice.mode': carried('`auto` or `required`'),
  'tool_choice.tools': carried('`tools` without all others'),
  'tool_choice.tools[].type': carried('functions and custom tools; those of the provider as in `tools`'),
  'tool_choice.tools[].name': carried('by name'),
  'tool_choice.tools[].namespace': carried('part of the name'),
};

const ITEMS: FieldRules = {
  'input[message].role': carried('`role`; `system` for `developer`'),
  'input[message].content': carried('`content`'),
  'input[message].phase': ignored('messages of the model have no phases in Chat Completions'),
  'input[message].id': ITEMS_NAME,
  'input[message].status': STATUS,
  'input[function_call].call_id': carried('`tool_calls[].id`'),
  'input[function_call].name': carried('`tool_calls[].function.name`'),
  'input[function_call].namespace': carried('part of the name'),
  'input[function_call].arguments': carried('`tool_calls[].function.arguments`'),
  'input[function_call].id': ITEMS_NAME,
  'input[function_call].status': STATUS,
  'input[function_call_output].call_id': carried('`tool_call_id` of a message of the role `tool`'),
  'input[function_call_output].output': carried(
    'its text; pictures and files stay inside for Claude, else they follow in a message of the user',
  ),
  'input[function_call_output].id': ITEMS_NAME,
  'input[function_call_output].status': STATUS,
  'input[custom_tool_call].call_id': carried('`tool_calls[].id`'),
  'input[custom_tool_call].name': carried('`tool_calls[].function.name`'),
  'input[custom_tool_call].namespace': carried('part of the name'),
  'input[custom_tool_call].input': carried('the member `input` of `tool_calls[].function.arguments`'),
  'input[custom_tool_call].id': ITEMS_NAME,
  'input[custom_tool_call].status': STATUS,
  'input[custom_tool_call_output].call_id': carried('as of `function_call_output`'),
  'input[custom_tool_call_output].output': carried('as of `function_call_output`'),
  'input[custom_tool_call_output].id': ITEMS_NAME,
  'input[custom_tool_call_output].status': STATUS,
  'input[reasoning].encrypted_content': carried(
    '`reasoning_content`, `reasoning_details` and `tool_calls[].extra_content`; what this gateway has not ' +
      'written is left out and named',
  ),
  'input[reasoning].summary': carried('`reasoning_content`, where the encrypted content does not say it'),
  'input[reasoning].summary[].text': carried('`reasoning_content`'),
  'input[reasoning].summary[].type': carried('nothing: all are texts'),
  'input[reasoning].content': carried('`reasoning_content`, in place of the summary'),
  'input[reasoning].content[].text': carried('`reasoning_content`'),
  'input[reasoning].content[].type': carried('nothing: all are texts'),
  'input[reasoning].id': ITEMS_NAME,
  'input[reasoning].status': STATUS,
  'input[web_search_call]': ignored('the answer after it has what was found'),
  'input[file_search_call]': ignored('the answer after it has what was found'),
  'input[mcp_list_tools]': ignored('the model has no such tools'),
  'input[item_reference]': refused(`has no earlier items that an item_reference could name: ${SEND_ALL}`),
  'input[compaction]': refused(NO_SUMMARY),
  'input[compaction_summary]': refused(NO_SUMMARY),
  'input[compaction_trigger]': refused('cannot be asked for a sealed summary'),
  'input[local_shell_call]': refused(NO_TYPED_TOOL),
  'input[local_shell_call_output]': refused(NO_TYPED_TOOL),
  'input[shell_call]': refused(NO_TYPED_TOOL),
  'input[shell_call_output]': refused(NO_TYPED_TOOL),
  'input[apply_patch_call]': refused(NO_TYPED_TOOL),
  'input[apply_patch_call_output]': refused(NO_TYPED_TOOL),
  'input[computer_call]': refused(NO_TYPED_TOOL),
  'input[computer_call_output]': refused(NO_TYPED_TOOL),
  'input[code_interpreter_call]': refused(NO_TOOL_OF_PROVIDER),
  'input[image_generation_call].result': carried('`images` of a message of the role `assistant`'),
  'input[image_generation_call].output_format': carried('the type in the URL of the picture'),
  'input[image_generation_call].revised_prompt': ignored(OF_THE_DRAWING),
  'input[image_generation_call].action': ignored(OF_THE_DRAWING),
  'input[image_generation_call].background': ignored(OF_THE_DRAWING),
  'input[image_generation_call].quality': ignored(OF_THE_DRAWING),
  'input[image_generation_call].size': ignored(OF_THE_DRAWING),
  'input[image_generation_call].id': ITEMS_NAME,
  'input[image_generation_call].status': STATUS,
  'input[mcp_call]': refused(NO_TOOL_OF_PROVIDER),
  'input[mcp_approval_request]': refused(NO_TOOL_OF_PROVIDER),
  'input[mcp_approval_response]': refused(NO_TOOL_OF_PROVIDER),
  'input[tool_search_call]': refused(NO_TOOL_OF_PROVIDER),
  'input[tool_search_output]': refused(NO_TOOL_OF_PROVIDER),
  'input[additional_tools].tools': carried('`tools`, behind those of the request'),
  'input[additional_tools].role': carried('nothing: what the model is offered has no role'),
  'input[additional_tools].id': ITEMS_NAME,
};

const CONTENT: FieldRules = {
  'content[input_text].text': carried('text'),
  'content[text].text': carried('text'),
  'content[output_text].text': carried('text'),
  'content[output_text].annotations': ignored('say where an earlier answer has its words from', isEmpty),
  'content[output_text].logprobs': ignored('the model needs none of earlier answers', isEmpty),
  'content[refusal].refusal': carried('text'),
  'content[input_image].image_url': carried('`image_url.url`'),
  'content[input_image].detail': carried('`image_url.detail`, but for `auto`'),
  'content[input_image].file_id': refused(NO_FILES),
  'content[input_file].file_data': carried('`file.file_data`, a data URL'),
  'content[input_file].filename': carried('`file.filename`'),
  'content[input_file].detail': ignored('Chat Completions has no such setting', is('auto')),
  'content[input_file].file_url': refused('takes files as data URLs in `file_data` alone'),
  'content[input_file].file_id': refused(NO_FILES),
  'content[input_audio].input_audio': carried('`input_audio`'),
  'content[input_video]': refused('takes no video in Chat Completions'),
  'content[computer_screenshot]': refused(NO_TYPED_TOOL),
};

/**
 * Brackets hold the type of an item, part or tool (without its date), or a value. Unlisted fields are ignored
 * by name, unlisted types are refused.
 * Source: OpenAI's API reference, the types of its client libraries, and the Open Responses specification.
 */
export const RESPONSES_FIELDS: FieldRules = { ...TOP_LEVEL, ...TOOLS, ...ITEMS, ...CONTENT };
