import { z } from 'zod';

const usage = z.strictObject({
  input_tokens: z.int().min(0),
  cache_creation_input_tokens: z.int().min(0),
  cache_read_input_tokens: z.int().min(0),
  output_tokens: z.int().min(0),
  service_tier: z.enum(['standard', 'flex', 'priority', 'batch']).optional(),
});
const start = z.strictObject({
  type: z.literal('message_start'),
  message: z.strictObject({
    id: z.string().regex(/^msg_/),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(z.never()),
    stop_reason: z.null(),
    stop_sequence: z.null(),
    usage,
  }),
});
const block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.literal('') }),
  z.strictObject({ type: z.literal('thinking'), thinking: z.literal(''), signature: z.literal('') }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.strictObject({
    type: z.literal('tool_use'),
    id: z.string().min(1),
    name: z.string().min(1),
    input: z.strictObject({}),
  }),
]);
const delta = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text_delta'), text: z.string() }),
  z.strictObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.strictObject({ type: z.literal('signature_delta'), signature: z.string() }),
  z.strictObject({ type: z.literal('input_json_delta'), partial_json: z.string() }),
]);
type Delta = z.infer<typeof delta>;
const index = z.int().min(0);
const event = z.discriminatedUnion('type', [
  start,
  z.strictObject({ type: z.literal('content_block_start'), index, content_block: block }),
  z.strictObject({ type: z.literal('content_block_delta'), index, delta }),
  z.strictObject({ type: z.literal('content_block_stop'), index }),
  z.strictObject({
    type: z.literal('message_delta'),
    delta: z.strictObject({ stop_reason: z.string(), stop_sequence: z.null() }),
    usage,
  }),
  z.strictObject({ type: z.literal('message_stop') }),
  z.looseObject({ type: z.literal('ping') }),
  z.looseObject({ type: z.literal('error') }),
]);

interface ReadBlock {
  type: string;
  /** For a call: its JSON. */
  text: string;
  id?: string;
  name?: string;
  signature?: string;
}

/** A stream as a client of Messages reads it. */
export interface ReadMessage {
  blocks: ReadBlock[];
  startUsage: z.infer<typeof usage> | undefined;
  usage: z.infer<typeof usage> | undefined;
  stopReason: string | undefined;
  isComplete: boolean;
  hasFailed: boolean;
}

const DELTA_OF: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  redacted_thinking: [],
};

/**
 * Reads a stream of Messages for tests, as strictly as no client does.
 * @throws Error where it breaks the rules of the API
 */
export function readMessageStream(text: string): ReadMessage {
  const read: ReadMessage = {
    blocks: [],
    startUsage: undefined,
    usage: undefined,
    stopReason: undefined,
    isComplete: false,
    hasFailed: false,
  };
  let isOpen = false;
  for (const entry of text.split('\n\n').slice(0, -1)) {
    const [, name, data] = /^event: (\w+)\ndata: ([^\n]+)$/.exec(entry) ?? [];
    const parsed = event.parse(JSON.parse(data ?? 'null'));
    const { type } = parsed;
    require(type === name, `${name} is called ${type}`);
    require(!read.isComplete && !read.hasFailed, `${type} after the end`);
    const last = read.blocks.at(-1);
    if (type === 'ping') continue;
    if (type === 'error') {
      read.hasFailed = true;
      continue;
    }
    if (type === 'message_start') {
      require(read.startUsage === undefined, 'a second message_start');
      read.startUsage = parsed.message.usage;
      continue;
    }
    require(read.startUsage !== undefined, `${type} before message_start`);
    require(read.usage === undefined || type === 'message_stop', `${type} after message_delta`);
    if (type === 'content_block_start') {
      require(!isOpen && parsed.index === read.blocks.length, 'a block opens in another one, or out of turn');
      isOpen = true;
      const { content_block } = parsed;
      read.blocks.push(
        content_block.type === 'tool_use'
          ? { type: 'tool_use', text: '', id: content_block.id, name: content_block.name }
          : { type: content_block.type, text: 'data' in content_block ? content_block.data : '' },
      );
    } else if (type === 'content_block_delta') {
      require(isOpen && parsed.index === read.blocks.length - 1, 'a delta of a block that is not open');
      require(DELTA_OF[last?.type ?? '']?.includes(parsed.delta.type) === true, 'a delta of another kind');
      if (last !== undefined) append(last, parsed.delta);
    } else if (type === 'content_block_stop') {
      require(isOpen && parsed.index === read.blocks.length - 1, 'a block ends that is not open');
      isOpen = false;
    } else if (type === 'message_delta') {
      require(!isOpen, 'message_delta in a block');
      read.usage = parsed.usage;
      read.stopReason = parsed.delta.stop_reason;
    } else {
      require(read.usage !== undefined, 'message_stop without message_delta');
      read.isComplete = true;
    }
  }
  return read;
}

function append(block: ReadBlock, delta: Delta): void {
  if (delta.type === 'text_delta') block.text += delta.text;
  else if (delta.type === 'thinking_delta') {
    require(block.signature === undefined, 'thinking after its signature');
    block.text += delta.thinking;
  } else if (delta.type === 'input_json_delta') block.text += delta.partial_json;
  else {
    require(block.signature === undefined, 'a second signature');
    block.signature = delta.signature;
  }
}

function require(holds: boolean, problem: string): void {
  if (!holds) throw new Error(problem);
}
