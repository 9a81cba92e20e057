import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { z } from 'zod';

const frame = z.looseObject({
  type: z.string(),
  stream_id: z.string().optional(),
  status: z.int().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  delta: z.unknown().optional(),
  error: z.looseObject({ code: z.string(), message: z.string(), param: z.string().nullish() }).optional(),
  response: z
    .looseObject({
      id: z.string(),
      status: z.string(),
      model: z.string(),
      output: z.array(z.looseObject({ type: z.string() })),
    })
    .optional(),
});
export type Frame = z.infer<typeof frame>;

const LAST = /^(?:response\.(?:completed|incomplete|failed)|error)$/;

/** A client's connection to /v1/responses, which reads its frames in order. */
export class TestSocket implements AsyncDisposable {
  readonly ws: WebSocket;
  readonly closed: Promise<{ code: number; atMs: number }>;
  readonly #frames: Frame[] = [];
  readonly #wake = new EventTarget();
  #isClosed = false;

  constructor(ws: WebSocket) {
    this.ws = ws;
    this.closed = new Promise((resolve) => {
      ws.on('close', (code) => {
        this.#isClosed = true;
        this.#wake.dispatchEvent(new Event('frame'));
        resolve({ code, atMs: performance.now() });
      });
    });
    ws.on('error', () => undefined);
    ws.on('message', (data) => {
      this.#frames.push(frame.parse(JSON.parse(String(data))));
      this.#wake.dispatchEvent(new Event('frame'));
    });
  }

  /** @param message text and bytes are sent as they are */
  send(message: object | string | Buffer): void {
    this.ws.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  create(body: object): void {
    this.send({ type: 'response.create', ...body });
  }

  /** @throws when the connection is closed before */
  async next(): Promise<Frame> {
    for (;;) {
      const first = this.#frames.shift();
      if (first !== undefined) return first;
      if (this.#isClosed) throw new Error('the connection was closed');
      await once(this.#wake, 'frame');
    }
  }

  /** Reads the frames of one response. @returns all of them */
  async response(): Promise<Frame[]> {
    const frames: Frame[] = [];
    for (;;) {
      const next = await this.next();
      frames.push(next);
      if (LAST.test(next.type)) return frames;
    }
  }

  /** Asks for a response. @returns its last frame */
  async ask(body: object): Promise<Frame> {
    this.create(body);
    const frames = await this.response();
    const last = frames.at(-1);
    if (last === undefined) throw new Error('there is no frame');
    return last;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ws.terminate();
    await this.closed;
  }
}

export async function openSocket(
  baseUrl: string,
  rawKey: string,
  headers: Record<string, string> = {},
): Promise<TestSocket> {
  const ws = connect(baseUrl, { authorization: `Bearer ${rawKey}`, ...headers });
  const socket = new TestSocket(ws);
  await once(ws, 'open');
  return socket;
}

/** Tries to open a connection that is refused. */
export async function refusedUpgrade(
  baseUrl: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; body: string; headers: IncomingMessage['headers'] }> {
  const ws = connect(baseUrl, headers);
  const [, response]: [unknown, IncomingMessage] = await new Promise((resolve, reject) => {
    ws.on('unexpected-response', (...answer) => resolve(answer));
    ws.on('open', () => reject(new Error('it was opened')));
  });
  const body = await text(response);
  return { status: response.statusCode, body, headers: response.headers };
}

function connect(baseUrl: string, headers: Record<string, string>): WebSocket {
  return new WebSocket(`${baseUrl.replace('http', 'ws')}/v1/responses`, { headers });
}

/** Returns the text of all deltas. */
export function textOf(frames: readonly Frame[]): string {
  return frames
    .filter(({ type }) => type === 'response.output_text.delta')
    .map(({ delta }) => String(delta))
    .join('');
}
