import type { ChatApi } from '../../interfaces/chat.ts';
import { parseExactJson, writeExactJson } from '../../json/exact-json.ts';
import { isObject, type JsonObject, objectOr, objectsIn, textOr } from '../../json/json-object.ts';
import { findTexts } from './find-texts.ts';
import type { TextPlace, ToolCall } from './text-place.ts';

/** An event of a stream in a caller's API. */
export interface CheckedEvent {
  /** The event as it arrived, with its lines. */
  readonly raw: string;
  /** Undefined: it has no JSON, such as a comment or `[DONE]`. */
  readonly value: JsonObject | undefined;
  readonly places: readonly TextPlace[];
  /** Channels that end with this event, by the start of their names. */
  readonly ends: readonly string[];
}

type Path = readonly (string | number)[];

/** Cuts complete events apart and finds their texts. @throws SyntaxError for data that is no JSON */
export function readEvents(api: ChatApi, events: string): CheckedEvent[] {
  return events
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => readEvent(api, `${block}\n\n`));
}

/** Returns the text of an event, with the texts that were put into its places. */
export function writeEvent({ raw, value }: CheckedEvent): string {
  if (value === undefined) return raw;
  const at = raw.startsWith('data:') ? 0 : raw.indexOf('\ndata:') + 1;
  return `${raw.slice(0, at)}data: ${writeExactJson(value)}\n\n`;
}

function readEvent(api: ChatApi, raw: string): CheckedEvent {
  const lines = raw.split('\n').filter((line) => line.startsWith('data:'));
  const data = lines.map((line) => line.slice('data:'.length).trimStart()).join('\n');
  if (data === '' || data === '[DONE]') return { raw, value: undefined, places: [], ends: [] };
  const value: unknown = parseExactJson(data);
  if (!isObject(value)) throw new SyntaxError('an event is no JSON object');
  const { ends, pieces } = PIECES[api](value);
  return { raw, value, places: [...callHeads(api, value), ...findTexts(value, { channelOf: pieces })], ends };
}

/**
 * Returns a place without text for each tool call that begins, in the channel of its arguments. So its first
 * event waits for the check of the whole call.
 */
function callHeads(api: ChatApi, event: JsonObject): TextPlace[] {
  return HEADS[api](event).map(({ call, channel }) => ({
    kind: 'arguments' as const,
    text: '',
    channel,
    call,
    put: () => undefined,
  }));
}

interface CallHead {
  channel: string;
  call: ToolCall;
}

const HEADS: Readonly<Record<ChatApi, (event: JsonObject) => CallHead[]>> = {
  'chat-completions': ({ choices }) =>
    objectsIn(choices).flatMap(({ delta, index: choice }) =>
      objectsIn(objectOr(delta).tool_calls).flatMap(({ function: called, id, index }, place) => {
        const { name } = objectOr(called);
        const channel = `${String(choice ?? 0)}/tool_calls.${String(index ?? place)}.function.arguments`;
        return typeof name === 'string' && name !== '' ? [{ channel, call: { id: textOr(id), name } }] : [];
      }),
    ),
  messages: ({ content_block, index, type }) => {
    const { id, name, type: kind } = objectOr(content_block);
    if (type !== 'content_block_start' || !textOr(kind).endsWith('tool_use')) return [];
    return [{ channel: `${String(index)}/partial_json`, call: { id: textOr(id), name: textOr(name) } }];
  },
  responses: ({ item, output_index: output, type }) => {
    const { call_id, name, type: kind } = objectOr(item);
    const member = { function_call: 'function_call_arguments', custom_tool_call: 'custom_tool_call_input' }[
      textOr(kind)
    ];
    if (type !== 'response.output_item.added' || member === undefined) return [];
    return [
      {
        channel: `${String(output)}/response.${member}//`,
        call: { id: textOr(call_id), name: textOr(name) },
      },
    ];
  },
};

interface Pieces {
  /** Returns the channel of a string; undefined: it is a whole text. */
  pieces: (path: Path) => string | undefined;
  ends: string[];
}

const NO_PIECES = () => undefined;

const PIECES: Readonly<Record<ChatApi, (event: JsonObject) => Pieces>> = {
  'chat-completions': piecesOfChat,
  messages: piecesOfMessages,
  responses: piecesOfResponses,
};

/** Lists in a delta whose entries are whole. */
const WHOLE_ENTRIES: ReadonlySet<unknown> = new Set(['annotations', 'citations', 'images']);

function piecesOfChat({ choices }: JsonObject): Pieces {
  const all = Array.isArray(choices) ? choices.map(objectOr) : [];
  const indexOf = (choice: JsonObject) => (typeof choice.index === 'number' ? choice.index : 0);
  return {
    pieces: (path) => {
      const [root, place, part, ...rest] = path;
      if (root !== 'choices' || part !== 'delta' || typeof place !== 'number') return undefined;
      if (WHOLE_ENTRIES.has(rest[0])) return undefined;
      const choice = all[place] ?? {};
      return `${indexOf(choice)}/${indexedPath(choice.delta, rest)}`;
    },
    ends: all
      .filter(({ finish_reason }) => typeof finish_reason === 'string' && finish_reason !== '')
      .map((choice) => `${indexOf(choice)}/`),
  };
}

/** Returns the path of a string. Entries of lists have the index that they name, as those of tool calls. */
function indexedPath(value: unknown, path: Path): string {
  let within: unknown = value;
  const names = path.map((name) => {
    within = Array.isArray(within) ? within[Number(name)] : objectOr(within)[name];
    const index = typeof name === 'number' ? objectOr(within).index : undefined;
    return typeof index === 'number' ? index : name;
  });
  return names.join('.');
}

const JOINED_TEXT = 'text/';

function piecesOfMessages({ content_block: block, index, type }: JsonObject): Pieces {
  if (type === 'content_block_stop') return { pieces: NO_PIECES, ends: [`${String(index)}/`] };
  // Adjacent text blocks are one text: citations split sentences into blocks, and clients join them.
  const channelOf = (name: unknown) => (name === 'text' ? JOINED_TEXT : `${String(index)}/${String(name)}`);
  if (type === 'content_block_delta')
    return {
      // The only delta that is whole is a citation.
      pieces: ([, name, ...rest]) => (name === 'citation' ? undefined : [channelOf(name), ...rest].join('.')),
      ends: [],
    };
  if (type === 'message_delta') return { pieces: NO_PIECES, ends: [JOINED_TEXT] };
  if (type !== 'content_block_start') return { pieces: NO_PIECES, ends: [] };
  const kind = objectOr(block).type;
  if (kind === 'text') return { pieces: ([, name]) => (name === 'text' ? JOINED_TEXT : undefined), ends: [] };
  return { pieces: kind === 'thinking' ? ([, name]) => channelOf(name) : NO_PIECES, ends: [JOINED_TEXT] };
}

function piecesOfResponses(event: JsonObject): Pieces {
  const type = textOr(event.type);
  const item = String(event.output_index ?? event.item_id ?? '');
  const part = String(event.content_index ?? event.summary_index ?? '');
  if (type.endsWith('.delta')) {
    const channel = `${item}/${type.slice(0, -'.delta'.length)}/${part}/`;
    return { pieces: (path) => (path[0] === 'delta' ? channel : channel + path.join('.')), ends: [] };
  }
  if (type === 'response.output_item.done') return { pieces: NO_PIECES, ends: [`${item}/`] };
  const ends = type.endsWith('.done') ? [`${item}/${type.slice(0, -'.done'.length)}/${part}/`] : [];
  return { pieces: NO_PIECES, ends };
}
