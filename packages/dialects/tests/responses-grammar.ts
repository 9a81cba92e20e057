import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/** The shapes in which the gateway itself writes Responses: stricter than those of any client. */

const count = z.int().min(0);
const itemStatus = z.enum(['in_progress', 'completed', 'incomplete']);
const namespace = z.string().min(1).optional();

const citation = z.strictObject({
  type: z.literal('url_citation'),
  url: z.string(),
  title: z.string(),
  start_index: count,
  end_index: count,
});
const part = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(citation),
    logprobs: z.array(z.never()),
  }),
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
]);
const summary = z.strictObject({ type: z.literal('summary_text'), text: z.string() });
const item = z.discriminatedUnion('type', [
  z.strictObject({
    id: z.string().regex(/^msg_\w+$/),
    type: z.literal('message'),
    status: itemStatus,
    role: z.literal('assistant'),
    content: z.array(part),
  }),
  z.strictObject({
    id: z.string().regex(/^rs_\w+$/),
    type: z.literal('reasoning'),
    summary: z.array(summary).max(1),
    encrypted_content: z.string().min(1).optional(),
  }),
  z.strictObject({
    id: z.string().regex(/^fc_\w+$/),
    type: z.literal('function_call'),
    status: itemStatus,
    arguments: z.string(),
    call_id: z.string().min(1),
    name: z.string().min(1),
    namespace,
  }),
  z.strictObject({
    id: z.string().regex(/^ctc_\w+$/),
    type: z.literal('custom_tool_call'),
    status: itemStatus,
    input: z.string(),
    call_id: z.string().min(1),
    name: z.string().min(1),
    namespace,
  }),
]);
export type ResponseItem = z.infer<typeof item>;

const usage = z.strictObject({
  input_tokens: count,
  input_tokens_details: z.strictObject({ cached_tokens: count, cache_write_tokens: count }),
  output_tokens: count,
  output_tokens_details: z.strictObject({ reasoning_tokens: count }),
  total_tokens: count,
});
export const writtenResponse = z.strictObject({
  id: z.string().regex(/^resp_\w+$/),
  object: z.literal('response'),
  created_at: count,
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  completed_at: count.nullable(),
  error: z
    .object({ code: z.string(), message: z.string(), request_id: z.string() })
    .catchall(z.union([z.string(), z.number(), z.null()]))
    .nullable(),
  incomplete_details: z.strictObject({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
  model: z.string(),
  output: z.array(item),
  usage: usage.nullable(),
  previous_response_id: z.null(),
  instructions: z.string().nullable(),
  tool_choice: z.unknown(),
  truncation: z.string(),
  parallel_tool_calls: z.boolean(),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.number(),
  temperature: z.number(),
  max_output_tokens: z.number().nullable(),
  max_tool_calls: z.number().nullable(),
  metadata: z.record(z.string(), z.string()),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
  user: z.string().nullable(),
  tools: z.array(z.looseObject({ type: z.string() })),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }) }),
  reasoning: z.looseObject({ effort: z.string().nullable(), summary: z.string().nullable() }),
  store: z.literal(false),
  background: z.literal(false),
  service_tier: z.enum(['default', 'flex', 'priority', 'batch', 'scale']),
});
export type WrittenResponse = z.infer<typeof writtenResponse>;

const response = writtenResponse;
const sequence_number = count;
const of = { sequence_number, item_id: z.string(), output_index: count };
const inContent = { ...of, content_index: count };
const inSummary = { ...of, summary_index: z.literal(0) };
const event = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('response.created'), sequence_number, response }),
  z.strictObject({ type: z.literal('response.in_progress'), sequence_number, response }),
  z.strictObject({ type: z.literal('response.completed'), sequence_number, response }),
  z.strictObject({ type: z.literal('response.incomplete'), sequence_number, response }),
  z.strictObject({ type: z.literal('response.failed'), sequence_number, response }),
  z.strictObject({
    type: z.literal('response.output_item.added'),
    sequence_number,
    output_index: count,
    item,
  }),
  z.strictObject({
    type: z.literal('response.output_item.done'),
    sequence_number,
    output_index: count,
    item,
  }),
  z.strictObject({ type: z.literal('response.content_part.added'), ...inContent, part }),
  z.strictObject({ type: z.literal('response.content_part.done'), ...inContent, part }),
  z.strictObject({
    type: z.literal('response.output_text.delta'),
    ...inContent,
    delta: z.string().min(1),
    logprobs: z.array(z.never()),
  }),
  z.strictObject({
    type: z.literal('response.output_text.done'),
    ...inContent,
    text: z.string(),
    logprobs: z.array(z.never()),
  }),
  z.strictObject({
    type: z.literal('response.output_text.annotation.added'),
    ...inContent,
    annotation_index: count,
    annotation: citation,
  }),
  z.strictObject({ type: z.literal('response.refusal.delta'), ...inContent, delta: z.string().min(1) }),
  z.strictObject({ type: z.literal('response.refusal.done'), ...inContent, refusal: z.string() }),
  z.strictObject({
    type: z.literal('response.reasoning_summary_part.added'),
    ...inSummary,
    part: summary,
  }),
  z.strictObject({ type: z.literal('response.reasoning_summary_part.done'), ...inSummary, part: summary }),
  z.strictObject({
    type: z.literal('response.reasoning_summary_text.delta'),
    ...inSummary,
    delta: z.string().min(1),
  }),
  z.strictObject({
    type: z.literal('response.reasoning_summary_text.done'),
    ...inSummary,
    text: z.string(),
  }),
  z.strictObject({
    type: z.literal('response.function_call_arguments.delta'),
    ...of,
    delta: z.string().min(1),
  }),
  z.strictObject({
    type: z.literal('response.function_call_arguments.done'),
    ...of,
    name: z.string(),
    arguments: z.string(),
  }),
  z.strictObject({
    type: z.literal('response.custom_tool_call_input.delta'),
    ...of,
    delta: z.string().min(1),
  }),
  z.strictObject({ type: z.literal('response.custom_tool_call_input.done'), ...of, input: z.string() }),
]);
type Event = z.infer<typeof event>;
type OfPart = Extract<Event, { item_id: string }>;

/** A stream as a client of Responses reads it. */
export interface ReadResponse {
  items: ResponseItem[];
  /** The response of the last event; undefined: no event ended the stream. */
  response: WrittenResponse | undefined;
  /** True if it ended as an answer that is all there, or was cut off where it had to be. */
  isComplete: boolean;
  hasFailed: boolean;
  /** How many calls had begun that are in no item. */
  cutCalls: number;
}

/**
 * Reads a stream of Responses for tests, as strictly as no client does.
 * @throws Error where it breaks the rules of the API
 */
export function readResponseStream(text: string): ReadResponse {
  const reader = new StreamReader();
  for (const entry of text.split('\n\n').slice(0, -1)) {
    if (entry.startsWith(':')) continue;
    const [, name, data] = /^event: ([\w.]+)\ndata: ([^\n]+)$/.exec(entry) ?? [];
    const parsed = event.parse(JSON.parse(data ?? 'null'));
    require(parsed.type === name, `${name} is called ${parsed.type}`);
    reader.read(parsed);
  }
  return reader.result;
}

/** An item that is being written, as its events tell it. */
interface OpenItem {
  item: ResponseItem;
  index: number;
  parts: object[];
  /** The part that is open, with its text so far. */
  open: { text: string; type: string; annotations: object[]; isDone: boolean } | undefined;
}

class StreamReader {
  readonly result: ReadResponse = {
    items: [],
    response: undefined,
    isComplete: false,
    hasFailed: false,
    cutCalls: 0,
  };
  #next = 0;
  #begun = 0;
  #id: string | undefined;
  #open: OpenItem | undefined;

  read(event: Event): void {
    const { sequence_number, type } = event;
    require(this.result.response === undefined, `${type} after the end`);
    require(sequence_number === this.#next, `${type} has the number ${sequence_number}, not ${this.#next}`);
    this.#next += 1;
    require((sequence_number === 0) === (type === 'response.created'), `${type} out of turn`);
    require((sequence_number === 1) === (type === 'response.in_progress'), `${type} out of turn`);
    if ('response' in event) this.#readResponse(event);
    else if (event.type === 'response.output_item.added') this.#add(event.output_index, event.item);
    else if (event.type === 'response.output_item.done') this.#finish(event.output_index, event.item);
    else this.#readPart(event);
  }

  #readResponse({ response, type }: Extract<Event, { response: unknown }>): void {
    this.#id ??= response.id;
    require(response.id === this.#id, 'the response changes its id');
    const status = /^response\.(.*)$/.exec(type)?.[1];
    require(response.status === (status === 'created' ? 'in_progress' : status), `${type} says otherwise`);
    require((response.error !== null) === (status === 'failed'), 'an error without a failure');
    require((response.incomplete_details !== null) === (status === 'incomplete'), 'incomplete without words');
    require((response.completed_at !== null) === (status === 'completed'), 'completed at another time');
    if (response.status === 'in_progress') {
      require(response.output.length === 0, 'a response begins with output');
      return;
    }
    require(isDeepStrictEqual(response.output, this.result.items), 'the output is not what was done');
    if (status !== 'failed') {
      require(response.usage !== null, 'an end without usage');
      if (isCall(this.#open?.item) && status === 'incomplete') this.result.cutCalls += 1;
      else require(this.#open === undefined, 'an end within an item');
    }
    this.result.response = response;
    this.result.isComplete = status !== 'failed';
    this.result.hasFailed = status === 'failed';
  }

  #add(index: number, item: ResponseItem): void {
    if (isCall(this.#open?.item)) this.result.cutCalls += 1;
    else require(this.#open === undefined, 'an item begins within another one');
    require(index === this.#begun, `item ${index} begins as item ${this.#begun}`);
    this.#begun += 1;
    if (item.type !== 'reasoning') require(item.status === 'in_progress', 'an item begins with its end');
    this.#open = { item, index, parts: [], open: undefined };
    if (isCall(item)) this.#open.open = { text: '', type: item.type, annotations: [], isDone: false };
  }

  #finish(index: number, item: ResponseItem): void {
    const open = this.#opened(index);
    if (item.type !== 'reasoning') require(item.status !== 'in_progress', 'an item ends in the middle');
    if (item.type === 'message') {
      require(open.open === undefined && item.content.length > 0, 'a message ends within a part, or empty');
      require(isDeepStrictEqual(open.item, { ...item, status: 'in_progress', content: [] }), 'another item');
      require(isDeepStrictEqual(open.parts, item.content), 'a message is not what its parts were');
    } else if (item.type === 'reasoning') {
      require(open.open === undefined, 'reasoning ends within a part');
      const { encrypted_content: _, ...rest } = item;
      require(isDeepStrictEqual(open.item, { ...rest, summary: [] }), 'another item');
      require(isDeepStrictEqual(open.parts, item.summary), 'reasoning is not what its parts were');
    } else {
      const written = item.type === 'function_call' ? item.arguments : item.input;
      const begun =
        item.type === 'function_call'
          ? { ...item, status: 'in_progress', arguments: '' }
          : { ...item, status: 'in_progress', input: '' };
      require(isDeepStrictEqual(open.item, begun), 'another item');
      require(open.open?.isDone === true && open.open.text === written, 'a call is not what was told of it');
      require(item.status === 'completed', 'a call that is cut off is done');
    }
    this.result.items.push(item);
    this.#open = undefined;
  }

  #readPart(event: Exclude<OfPart, { item: unknown }>): void {
    const opened = this.#opened(event.output_index);
    require(event.item_id === opened.item.id, `${event.type} of another item`);
    if ('content_index' in event) require(event.content_index === opened.parts.length, 'another part');
    if (event.type.endsWith('_part.added')) {
      require(opened.open === undefined && 'part' in event, 'a part begins within another one');
      const type = 'part' in event ? event.part.type : '';
      opened.open = { text: '', type, annotations: [], isDone: false };
      return;
    }
    const { open } = opened;
    if (open === undefined) throw new Error(`${event.type} outside of a part`);
    require(TYPES[event.type]?.includes(open.type) === true, `${event.type} in ${open.type}`);
    if ('delta' in event) {
      require(!open.isDone, 'more after the end of a part');
      open.text += event.delta;
    } else if ('annotation' in event) {
      require(event.annotation_index === open.annotations.length, 'an annotation out of turn');
      open.annotations.push(event.annotation);
    } else if ('part' in event) {
      require(open.isDone, 'a part ends twice, or without its text');
      require(isDeepStrictEqual(event.part, wholePart(open)), 'a part is not what was told of it');
      opened.parts.push(event.part);
      opened.open = undefined;
    } else {
      require(!open.isDone && textOf(event) === open.text, 'a text is not what was told of it');
      open.isDone = true;
    }
  }

  #opened(index: number): OpenItem {
    if (this.#open?.index !== index) throw new Error(`an event of item ${index}, which is not open`);
    return this.#open;
  }
}

const IN_TEXT = ['output_text'];
const TYPES: Readonly<Record<string, readonly string[]>> = {
  'response.content_part.done': ['output_text', 'refusal'],
  'response.output_text.delta': IN_TEXT,
  'response.output_text.done': IN_TEXT,
  'response.output_text.annotation.added': IN_TEXT,
  'response.refusal.delta': ['refusal'],
  'response.refusal.done': ['refusal'],
  'response.reasoning_summary_part.done': ['summary_text'],
  'response.reasoning_summary_text.delta': ['summary_text'],
  'response.reasoning_summary_text.done': ['summary_text'],
  'response.function_call_arguments.delta': ['function_call'],
  'response.function_call_arguments.done': ['function_call'],
  'response.custom_tool_call_input.delta': ['custom_tool_call'],
  'response.custom_tool_call_input.done': ['custom_tool_call'],
};

function wholePart({ annotations, text, type }: NonNullable<OpenItem['open']>): object {
  if (type === 'refusal') return { type, refusal: text };
  return type === 'summary_text' ? { type, text } : { type, text, annotations, logprobs: [] };
}

function textOf(event: Event): string | undefined {
  if ('text' in event) return event.text;
  if ('refusal' in event) return event.refusal;
  if ('arguments' in event) return event.arguments;
  return 'input' in event ? event.input : undefined;
}

function isCall(item: ResponseItem | undefined): boolean {
  return item?.type === 'function_call' || item?.type === 'custom_tool_call';
}

function require(holds: boolean, problem: string): void {
  if (!holds) throw new Error(problem);
}
