import { invalidField, invalidStreamId, notJson, unknownFrameType } from '@model-gateway/shared/errors';
import { elementsOf } from '../stored-responses/json-elements.ts';

/** A request for a response: the body of POST /v1/responses, and members that only WebSocket has. */
export interface ResponseCreate {
  /** Repeated in every event of the response. */
  streamId: string | undefined;
  /** False: nothing is generated, and the next request continues this one. */
  generates: boolean;
  /** False: only this connection has the response afterwards. */
  isStored: boolean;
  previousResponseId: string | undefined;
  /** True if it continues a conversation that the provider stores. */
  refersElsewhere: boolean;
  /** The JSON of `input`. */
  input: Buffer | undefined;
  /** The JSON of all other members for the body, each with its name. */
  rest: readonly Buffer[];
}

/** Acknowledges a response, which needs no answer. Codex sends it under an experimental setting. */
const ACKNOWLEDGEMENT = 'response.processed';

const STREAM_ID = /^[\w.-]{1,256}$/;
/** Matches the name in front of a member. */
const NAME = /^\s*"(?:[^"\\]|\\.)*"(?=\s*:)/;
const MAX_MEMBERS = 200;
const MAX_SMALL_BYTES = 4_096;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;

/** Members that are read here. Those with `true` also belong to the body. */
const READ: Readonly<Record<string, boolean>> = {
  type: false,
  stream_id: false,
  generate: false,
  stream: false,
  background: false,
  previous_response_id: false,
  input: false,
  store: true,
  conversation: true,
};

/**
 * Reads a message of the client, but not its input, which may be large: the route parses that.
 * @returns undefined for a message that needs no answer
 * @throws GatewayError 400
 */
export async function readResponseCreate(message: Buffer): Promise<ResponseCreate | undefined> {
  const members = new Map<string, Buffer>();
  const rest: Buffer[] = [];
  for (const member of await membersOf(message)) {
    const [name, value] = nameAndValue(member);
    const belongsToBody = READ[name];
    if (belongsToBody === undefined || (name === 'input' && !isText(value))) {
      rest.push(member);
      continue;
    }
    if (members.has(name)) throw notJson();
    members.set(name, value);
    if (belongsToBody) rest.push(member);
  }
  const read = (name: string): unknown => {
    const value = members.get(name);
    return value === undefined ? undefined : parsed(value);
  };
  const type = read('type');
  if (type === ACKNOWLEDGEMENT) return undefined;
  if (type !== 'response.create') throw unknownFrameType(typeof type === 'string' ? type : undefined);
  const streamId = read('stream_id') ?? undefined;
  if (streamId !== undefined && (typeof streamId !== 'string' || !STREAM_ID.test(streamId)))
    throw invalidStreamId();
  if (read('stream') === false) throw invalidField('stream', 'is always true over WebSocket; leave it out');
  if (read('background') === true) throw invalidField('background', 'is not possible over WebSocket');
  const generates = read('generate') ?? true;
  if (typeof generates !== 'boolean') throw invalidField('generate', 'expected true or false');
  const previousResponseId = read('previous_response_id') ?? undefined;
  if (previousResponseId !== undefined && typeof previousResponseId !== 'string')
    throw invalidField('previous_response_id', 'expected a string');
  return {
    streamId,
    generates,
    isStored: read('store') !== false,
    previousResponseId,
    refersElsewhere: (read('conversation') ?? undefined) !== undefined,
    input: members.get('input'),
    rest,
  };
}

/** Returns true for a string or an array. The route refuses any other input. */
function isText([first]: Buffer): boolean {
  return first === QUOTE || first === OPEN_BRACKET;
}

/** @throws GatewayError 400 if it is no object, or has more members than any request */
async function membersOf(message: Buffer): Promise<Buffer[]> {
  const text = trimmed(message);
  if (text[0] !== OPEN_BRACE || text.at(-1) !== CLOSE_BRACE) throw notJson();
  try {
    return await elementsOf(text, MAX_MEMBERS);
  } catch (cause) {
    throw notJson(cause);
  }
}

/** Splits a member. Its value may be invalid JSON: `parsed` or the route finds that out. */
function nameAndValue(member: Buffer): [name: string, value: Buffer] {
  const head = NAME.exec(member.toString('latin1', 0, MAX_SMALL_BYTES));
  if (head === null) throw notJson();
  const end = head[0].length;
  const name = parsed(member.subarray(0, end));
  return [String(name), trimmed(member.subarray(member.indexOf(COLON, end) + 1))];
}

function trimmed(json: Buffer): Buffer {
  let start = 0;
  let end = json.length;
  while (start < end && isSpace(json[start])) start++;
  while (end > start && isSpace(json[end - 1])) end--;
  return json.subarray(start, end);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** @throws GatewayError 400 for invalid JSON, and for more bytes than any member that is read here has */
function parsed(json: Buffer): unknown {
  if (json.length > MAX_SMALL_BYTES) throw notJson();
  try {
    const value: unknown = JSON.parse(json.toString());
    return value;
  } catch (cause) {
    throw notJson(cause);
  }
}
