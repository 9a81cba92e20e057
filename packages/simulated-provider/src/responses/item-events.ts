import { textPieces } from '../chat/preamble.ts';
import { cutAnywhere } from '../text/cut-anywhere.ts';
import { encryptReasoning } from './encrypted-reasoning.ts';
import type {
  CustomCallItem,
  FunctionCallItem,
  MessageItem,
  OutputItem,
  ReasoningItem,
  SearchItem,
} from './output-item.ts';

/** An event that has no number yet. */
export type UnnumberedEvent = readonly [type: string, members: object];

export interface ItemEventOptions {
  /** The position of the item in the output. */
  index: number;
  /** Pads deltas, so that their length does not reveal their text. */
  isPadded: boolean;
  /** The beginning of a message's text, sent in one piece. */
  preamble: string;
}

/** Deltas are padded to a multiple of this. */
const PADDED_CHARACTERS = 16;

/** Yields the events of one item, from `added` to `done`. */
export function* itemEvents(item: OutputItem, options: ItemEventOptions): Generator<UnnumberedEvent> {
  const place = { output_index: options.index };
  yield ['response.output_item.added', { ...place, item: begunItem(item) }];
  switch (item.type) {
    case 'reasoning':
      yield* reasoningEvents(item, options);
      break;
    case 'web_search_call':
      yield* searchEvents(item, options);
      break;
    case 'message':
      yield* messageEvents(item, options);
      break;
    default:
      yield* callEvents(item, options);
  }
  yield ['response.output_item.done', { ...place, item }];
}

/** Returns an item without its content. */
function begunItem(item: OutputItem): object {
  switch (item.type) {
    case 'reasoning':
      // Encrypted content changes until the item is done, as at OpenAI.
      return 'encrypted_content' in item
        ? { ...item, summary: [], encrypted_content: encryptReasoning(item.id, '') }
        : { ...item, summary: [] };
    case 'web_search_call':
      return { id: item.id, type: item.type, status: 'in_progress', action: { type: 'search', query: '' } };
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' };
  }
}

function* reasoningEvents(
  { id, summary }: ReasoningItem,
  options: ItemEventOptions,
): Generator<UnnumberedEvent> {
  for (const [summaryIndex, part] of summary.entries()) {
    const place = { item_id: id, output_index: options.index, summary_index: summaryIndex };
    yield ['response.reasoning_summary_part.added', { ...place, part: { ...part, text: '' } }];
    for (const text of textPieces(part.text, '')) {
      yield ['response.reasoning_summary_text.delta', { ...place, ...delta(text, options) }];
    }
    yield ['response.reasoning_summary_text.done', { ...place, text: part.text }];
    yield ['response.reasoning_summary_part.done', { ...place, part }];
  }
}

function* searchEvents({ id }: SearchItem, { index }: ItemEventOptions): Generator<UnnumberedEvent> {
  for (const state of ['in_progress', 'searching', 'completed']) {
    yield [`response.web_search_call.${state}`, { item_id: id, output_index: index }];
  }
}

function* messageEvents({ content, id }: MessageItem, options: ItemEventOptions): Generator<UnnumberedEvent> {
  for (const [contentIndex, part] of content.entries()) {
    const place = { item_id: id, output_index: options.index, content_index: contentIndex };
    const isText = part.type === 'output_text';
    const text = isText ? part.text : part.refusal;
    const kind = isText ? 'output_text' : 'refusal';
    const empty = isText ? { ...part, annotations: [], text: '' } : { ...part, refusal: '' };
    const logprobs = isText ? { logprobs: [] } : {};
    yield ['response.content_part.added', { ...place, part: empty }];
    for (const piece of textPieces(text, options.preamble)) {
      yield [`response.${kind}.delta`, { ...place, ...logprobs, ...delta(piece, options) }];
    }
    for (const [index, annotation] of (isText ? part.annotations : []).entries()) {
      yield ['response.output_text.annotation.added', { ...place, annotation_index: index, annotation }];
    }
    yield [`response.${kind}.done`, { ...place, ...logprobs, [isText ? 'text' : 'refusal']: text }];
    yield ['response.content_part.done', { ...place, part }];
  }
}

function* callEvents(
  item: FunctionCallItem | CustomCallItem,
  options: ItemEventOptions,
): Generator<UnnumberedEvent> {
  const place = { item_id: item.id, output_index: options.index };
  const isFunction = item.type === 'function_call';
  const kind = isFunction ? 'function_call_arguments' : 'custom_tool_call_input';
  const input = isFunction ? item.arguments : item.input;
  for (const piece of cutAnywhere(input))
    yield [`response.${kind}.delta`, { ...place, ...delta(piece, options) }];
  const whole = isFunction ? { name: item.name, arguments: input } : { input };
  yield [`response.${kind}.done`, { ...place, ...whole }];
}

function delta(text: string, { isPadded }: ItemEventOptions): object {
  if (!isPadded) return { delta: text };
  const padding = 'x'.repeat(PADDED_CHARACTERS - (text.length % PADDED_CHARACTERS));
  return { delta: text, obfuscation: padding };
}
