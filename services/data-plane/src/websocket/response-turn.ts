import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { isObject, type JsonObject, ResponseObject } from '@model-gateway/dialects';
import { ERROR_CODES } from '@model-gateway/shared';
import { responseBrokeOff } from '@model-gateway/shared/errors';
import type { WebSocket } from 'ws';
import type { MemoryClaim } from '../memory/memory-claim.ts';
import { expandedInput } from '../stored-responses/expanded-input.ts';
import { asItems } from '../stored-responses/held-input.ts';
import { SseParser } from '../upstream/sse-events.ts';
import { shownHeaders, withMembers } from './error-frame.ts';
import { type LocalResponse, sendLocally } from './local-request.ts';
import type { ConnectionMemory } from './remembered-responses.ts';
import type { ResponseCreate } from './response-create.ts';

const RESPONSES = '/v1/responses';
/** The route that checks a request and counts it as a read, without calling a provider. */
const INPUT_TOKENS = '/v1/responses/input_tokens';
const LAST_EVENTS = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);
/** Maximum characters of a last event that is parsed, to remember its response. */
const MAX_PARSED = 8 * 1024 * 1024;
const NO_REFERENCES: ReadonlyMap<number, Buffer> = new Map();

/** The connection of a client, for its responses. */
export interface TurnConnection {
  /** Serves the requests. */
  server: Pick<Server, 'emit'>;
  upgrade: IncomingMessage;
  socket: Socket;
  ws: WebSocket;
  memory: ConnectionMemory;
  /** How long a client may read nothing while events wait for it. */
  stallMs: number;
}

/** Runs one `response.create`: sends it through the HTTP routes, and relays each event as a frame. */
export class ResponseTurn {
  readonly #connection: TurnConnection;
  readonly #create: ResponseCreate;
  #local: LocalResponse | undefined;
  #isAborted = false;

  constructor(connection: TurnConnection, create: ResponseCreate) {
    this.#connection = connection;
    this.#create = create;
  }

  /** Ends the request as if its client had left. */
  abort(): void {
    this.#isAborted = true;
    this.#local?.abort();
  }

  /**
   * @param claim the memory of the message, which the request uses until this ends
   * @returns `lost` if the response that it continues is forgotten; its client must then connect again
   */
  async run(claim: MemoryClaim): Promise<'done' | 'lost'> {
    const { generates, previousResponseId, input } = this.#create;
    const { memory, server, upgrade } = this.#connection;
    const previous = previousResponseId === undefined ? undefined : memory.find(previousResponseId);
    const own = input === undefined ? undefined : [input];
    const items =
      previous === undefined
        ? undefined
        : await expandedInput(own, { previous, references: NO_REFERENCES, withoutReasoning: false });
    if (this.#isAborted) return 'done';
    const body = this.#body(items ?? own, previous === undefined);
    this.#local = sendLocally(server, upgrade, { path: generates ? RESPONSES : INPUT_TOKENS, body, claim });
    try {
      const answer = await this.#local.head;
      if (answer.statusCode !== 200) return await this.#refuse(answer);
      const last = generates ? await this.#relay(answer) : await this.#prepare(answer);
      this.#remember(
        last,
        items ?? (own === undefined ? [Buffer.from('[]')] : asItems(own)),
        previous !== undefined,
      );
    } catch (failure) {
      if (!this.#isAborted) throw failure;
    } finally {
      await this.#local.closed;
    }
    return 'done';
  }

  #body(input: readonly Buffer[] | undefined, withPreviousId: boolean): Buffer[] {
    const { generates, previousResponseId, rest } = this.#create;
    const members: (readonly Buffer[])[] = rest.map((member) => [member]);
    if (input !== undefined) members.push([Buffer.from('"input":'), ...input]);
    if (withPreviousId && previousResponseId !== undefined)
      members.push([Buffer.from(`"previous_response_id":${JSON.stringify(previousResponseId)}`)]);
    if (generates) members.push([Buffer.from('"stream":true')]);
    const separated = members.flatMap((member, index) =>
      index === 0 ? member : [Buffer.from(','), ...member],
    );
    return [Buffer.from('{'), ...separated, Buffer.from('}')];
  }

  async #refuse(answer: IncomingMessage): Promise<'done' | 'lost'> {
    const parsed: unknown = JSON.parse(await text(answer));
    const error = isObject(parsed) ? parsed.error : undefined;
    const isLost = isObject(error) && error.param === 'previous_response_id';
    if (isLost && this.#connection.memory.hasLost) return 'lost';
    const headers = shownHeaders(answer.headers);
    await this.#send([
      JSON.stringify({ type: 'error', status: answer.statusCode, ...this.#streamMember, error, headers }),
    ]);
    return 'done';
  }

  /** @returns the last event */
  #relay(answer: IncomingMessage): Promise<string> {
    const { promise, reject, resolve } = Promise.withResolvers<string>();
    const parser = new SseParser(Number.POSITIVE_INFINITY);
    let members: JsonObject = { ...this.#streamMember, headers: shownHeaders(answer.headers) };
    let last = '';
    const relay = (chunk: Buffer) => {
      const frames = parser.push(chunk).map((event) => {
        last = withErrorType(event);
        const frame = withMembers(last, members);
        members = this.#streamMember;
        return frame;
      });
      const sending = this.#send(frames);
      if (sending === undefined) return;
      answer.pause();
      sending.then(() => answer.resume()).catch(reject);
    };
    // A response that has failed breaks off after its last event, which an iterator would drop.
    answer.on('data', (chunk: Buffer) => {
      try {
        relay(chunk);
      } catch (failure) {
        reject(failure);
        answer.destroy();
      }
    });
    answer.on('error', () => undefined);
    answer.on('close', () => {
      if (isLastEvent(last)) resolve(last);
      else reject(responseBrokeOff());
    });
    return promise;
  }

  /** Answers a request that generates nothing. @returns the last event */
  async #prepare(answer: IncomingMessage): Promise<string> {
    await text(answer);
    const response = new ResponseObject(String(answer.headers['x-gateway-model']), {});
    const event = (type: string, status: 'in_progress' | 'completed', sequenceNumber: number) =>
      `{"type":"${type}","sequence_number":${sequenceNumber},"response":${response.json({ status, output: [] })}}`;
    const last = event('response.completed', 'completed', 2);
    const created = event('response.created', 'in_progress', 0);
    await this.#send([
      withMembers(created, { ...this.#streamMember, headers: shownHeaders(answer.headers) }),
      withMembers(event('response.in_progress', 'in_progress', 1), this.#streamMember),
      withMembers(last, this.#streamMember),
    ]);
    return last;
  }

  /**
   * Remembers a response that neither the gateway nor the provider stores.
   * @param isContinued true: `input` contains the earlier turns
   */
  #remember(last: string, input: readonly Buffer[], isContinued: boolean): void {
    const { memory } = this.#connection;
    const { isStored, previousResponseId, refersElsewhere, streamId } = this.#create;
    if (last.length > MAX_PARSED) {
      memory.hasLost = true;
      return;
    }
    const { response, type }: JsonObject = JSON.parse(last);
    if (type !== 'response.completed' && type !== 'response.incomplete') return;
    if (!isObject(response) || typeof response.id !== 'string' || !Array.isArray(response.output)) return;
    if (isStored && response.store !== false) return;
    if (refersElsewhere || (previousResponseId !== undefined && !isContinued)) {
      // Its earlier turns are stored elsewhere.
      memory.hasLost = true;
      return;
    }
    const output = Buffer.from(JSON.stringify(continuable(response.output)));
    memory.remember(streamId, { id: response.id, input: Buffer.concat(input), output });
  }

  /** Sends frames together. @returns a promise if the client is behind, until it keeps up or leaves */
  #send(frames: readonly string[]): Promise<void> | undefined {
    const { socket, stallMs, ws } = this.#connection;
    if (ws.readyState !== ws.OPEN) return undefined;
    socket.cork();
    for (const frame of frames) ws.send(frame);
    socket.uncork();
    if (!socket.writableNeedDrain) return undefined;
    const stalled = setTimeout(() => ws.terminate(), stallMs);
    return drained(socket).finally(() => clearTimeout(stalled));
  }

  get #streamMember(): JsonObject {
    const { streamId } = this.#create;
    return streamId === undefined ? {} : { stream_id: streamId };
  }
}

/** Adds type and status to an error of the gateway that ends a stream, which has neither over HTTP. */
function withErrorType(event: string): string {
  if (!event.startsWith('{"error":')) return event;
  const { error }: JsonObject = JSON.parse(event);
  const code = isObject(error) ? String(error.code) : '';
  const { status } = Object.entries(ERROR_CODES).find(([name]) => name === code)?.[1] ?? { status: 500 };
  return withMembers(event, { type: 'error', status });
}

function isLastEvent(event: string): boolean {
  const type = event.length > MAX_PARSED ? /"type":\s*"([^"]+)"/.exec(event)?.[1] : typeOf(event);
  return LAST_EVENTS.has(String(type));
}

function typeOf(event: string): unknown {
  try {
    const { type }: JsonObject = JSON.parse(event);
    return type;
  } catch {
    // There was no event, or a provider's own text.
    return undefined;
  }
}

function drained(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => {
    socket.off('drain', done).off('close', done);
    resolve();
  };
  socket.on('drain', done).on('close', done);
  return promise;
}

/**
 * Returns output as input of the next turn, without reasoning that is not encrypted, because no provider can
 * read it. Other items then lose their ids: a provider that knows an id expects the reasoning beside it.
 */
function continuable(output: readonly unknown[]): unknown[] {
  const carried = output.filter(
    (item) => !isObject(item) || item.type !== 'reasoning' || typeof item.encrypted_content === 'string',
  );
  if (carried.length === output.length) return carried;
  return carried.map((item) => (isObject(item) ? { ...item, id: undefined } : item));
}
