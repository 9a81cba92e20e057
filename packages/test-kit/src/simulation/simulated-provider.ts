import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { inBackground } from '@model-gateway/service-kit';

/** Instructions in the text of a request: `request 7, 120 tokens, 300 ms, complete`. */
const INSTRUCTIONS = /request (\d+), (\d+) tokens, (\d+) ms, (\w+)/;
const PROMPT_TOKENS = 10;

/** Serves a connection as a provider that does what each request says. */
export function serveProvider(socket: Socket): void {
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString();
    const [head = '', body = ''] = received.split('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (body.length < length || length === 0) return;
    received = '';
    inBackground(respond(socket, body));
  });
}

async function respond(socket: Socket, body: string): Promise<void> {
  const instructions = INSTRUCTIONS.exec(body);
  const [number = 0, tokens = 0, tookMs = 1] = instructions?.slice(1, 4).map(Number) ?? [];
  const end = instructions?.[4];
  await wait(tookMs);
  if (socket.destroyed) return;
  if (end === 'fail') {
    send(socket, '500 Internal Server Error', 'application/json', '{"error":{"message":"failed"}}');
    return;
  }
  if (end === 'reset') return void socket.destroy();
  const usage = {
    prompt_tokens: PROMPT_TOKENS,
    completion_tokens: tokens,
    total_tokens: PROMPT_TOKENS + tokens,
  };
  const common = { id: `chatcmpl-${number}`, created: 1, model: 'sim-chat-pro' };
  if (!/"stream":\s*true/.test(body)) {
    const message = { role: 'assistant', content: 'Hello.' };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const response = { ...common, object: 'chat.completion', choices, usage };
    send(socket, '200 OK', 'application/json', JSON.stringify(response));
    return;
  }
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n');
  const event = (value: object) => {
    const data = `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', ...value })}\n\n`;
    socket.write(`${data.length.toString(16)}\r\n${data}\r\n`);
  };
  for (let part = 0; part < 4; part++) {
    event({
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello. ' }, finish_reason: null }],
    });
    await wait(Math.ceil(tookMs / 4));
    if (socket.destroyed) return;
  }
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  event({ choices: [], usage });
  const done = 'data: [DONE]\n\n';
  socket.write(`${done.length.toString(16)}\r\n${done}\r\n0\r\n\r\n`);
}

/** Returns the nano-USD that a response of so many output tokens costs, at the prices of the test catalog. */
export function costOf(outputTokens: number): bigint {
  return BigInt(PROMPT_TOKENS) * 1_000n + BigInt(outputTokens) * 2_000n;
}

function send(socket: Socket, status: string, type: string, body: string): void {
  socket.write(
    `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}
