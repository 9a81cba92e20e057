import { DEFAULT_TIER, readServiceTier } from '@model-gateway/shared';
import {
  carried,
  type FieldRules,
  ignored,
  is,
  isEmpty,
  isTextOnly,
  refused,
  under,
} from '../../translation/field-rules.ts';

/** Returns true for words that ask for no particular tier. */
function isUsualTier(value: unknown): boolean {
  const tier = readServiceTier(value);
  return tier === DEFAULT_TIER || (tier === undefined && typeof value === 'string');
}

const AS_SENT = carried('as it is');

/**
 * Rules of Chat Completions fields that most translations share. The table of a provider has its own fields
 * and its exceptions. Unlisted fields are ignored by name.
 */
export const CHAT_FIELDS: FieldRules = {
  model: carried("`model`, the provider's name of it"),
  stream: AS_SENT,
  stream_options: AS_SENT,
  tools: carried('`tools`'),
  functions: refused('takes functions in `tools` only', isEmpty),
  function_call: refused('takes functions in `tools` only', is('auto', 'none')),
  parallel_tool_calls: ignored('the model decides how many calls it makes', is(true)),
  n: refused('gives one answer to a request', is(1)),
  logprobs: refused('tells no probabilities', is(false)),
  top_logprobs: refused('tells no probabilities', is(0)),
  logit_bias: refused('takes no bias for single tokens', isEmpty),
  modalities: refused('answers in text only', isTextOnly),
  audio: refused('answers in text only'),
  seed: ignored('the provider samples without one'),
  prediction: ignored('only makes an answer faster'),
  verbosity: ignored('the messages can ask for it'),
  service_tier: refused('has no service tiers: leave it out, or send `default`', isUsualTier),
  user: ignored('it may be personal'),
  safety_identifier: ignored('it may be personal'),
  metadata: ignored('tags the request for its sender', isEmpty),
  store: ignored('tags the request for its sender'),
  prompt_cache_key: ignored('the provider caches by itself'),
  prompt_cache_retention: ignored('the provider caches by itself'),
  ...under('stream_options', {
    include_usage: carried('the gateway sends the usage'),
    include_obfuscation: ignored('the gateway sends none'),
  }),
  ...under('messages[]', {
    function_call: refused('takes calls in `tool_calls` only'),
    is_error: ignored('the result says so itself', is(false)),
    refusal: carried('a text'),
    name: ignored('messages have no names'),
    annotations: ignored('the text says the same', isEmpty),
    audio: refused('takes no audio'),
    images: refused('takes pictures as parts of `content` only', isEmpty),
  }),
  ...under('messages[].content[]', {
    text: carried('`text`'),
    refusal: carried('a text'),
    input_audio: refused('takes no audio'),
    video_url: refused('takes no video'),
  }),
  ...under('messages[].content[].image_url', {
    detail: ignored('the provider reads pictures at one resolution', is('auto')),
  }),
  ...under('messages[].tool_calls[]', {
    custom: refused('calls functions only'),
    extra_content: ignored('it is meant for another provider'),
    index: ignored('only a stream needs it', (value) => typeof value === 'number'),
  }),
  ...under('tools[]', {
    type: carried('refused when it is no function'),
    custom: refused('calls functions only'),
  }),
  ...under('tool_choice', {
    custom: refused('calls functions only'),
  }),
  ...under('tool_choice.function', {
    name: carried('`name`'),
  }),
  ...under('tool_choice.allowed_tools.tools[]', {
    type: carried('only functions'),
    function: carried('by name'),
  }),
  ...under('tool_choice.allowed_tools.tools[].function', {
    name: carried('`name`'),
  }),
  ...under('response_format.json_schema', {
    name: ignored('schemas have no names'),
    description: ignored('the schema has its own'),
  }),
};
