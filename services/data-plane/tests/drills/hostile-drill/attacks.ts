import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { TINY_UNITS } from '../../endpoints/hostile-audio.ts';
import { FAILING } from '../../hostile/failing-chat.ts';
import { HOSTILE_BODIES, type HostileBody, recordingForm } from '../../hostile/hostile-body-families.ts';

export interface Target {
  port: number;
  rawKey: string;
}

/** One round of an attack. @returns how it was answered */
export type Attack = (target: Target) => Promise<string>;

const MEBIBYTE = 1024 * 1024;

/** The attacks of one hostile client, and how many of each run at a time. */
export const ATTACKS: Readonly<Record<string, { lanes: number; attack: Attack }>> = {
  'slow uploads of 20 MiB': { lanes: 10, attack: slowUpload },
  'millions of numbers': { lanes: 2, attack: bodyOf('numbers of token size', '/v1/chat/completions') },
  'numbers for Messages': { lanes: 1, attack: bodyOf('numbers of token size', '/v1/messages') },
  'wrong messages': { lanes: 1, attack: bodyOf('many wrong messages') },
  'many keys': { lanes: 1, attack: bodyOf('many keys') },
  'nested arrays': { lanes: 1, attack: bodyOf('nested arrays') },
  'pictures of 18 MiB': { lanes: 2, attack: bodyOf('pictures in base64') },
  'forms with 200,000 parts': { lanes: 1, attack: bodyOf('a form with many parts') },
  'recordings of void elements': { lanes: 2, attack: recordingOf('void elements of WebM') },
  'recordings of empty boxes': { lanes: 1, attack: recordingOf('empty boxes of MP4') },
  'embeddings of 41 MB': { lanes: 10, attack: embeddings },
  'refused streams of 4 MiB': { lanes: 4, attack: (target) => stream(target, 'sim/chat-pro', 4 * MEBIBYTE) },
  'streams that are left': { lanes: 4, attack: leaveStream },
  'whole responses that are left': { lanes: 4, attack: leaveWhole },
  'failures of the provider': { lanes: 4, attack: failing },
  'CONNECT and a reset': { lanes: 2, attack: connectAndReset },
  'invented keys': { lanes: 2, attack: inventedKey },
  'requests sent ahead': { lanes: 2, attack: pipelined },
};

async function post(
  { port, rawKey }: Target,
  path: string,
  contentType: string,
  body: string | Uint8Array<ArrayBuffer>,
  signal?: AbortSignal,
): Promise<Response> {
  return await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': contentType },
    body,
    signal: signal ?? null,
  });
}

async function statusOf(response: Response): Promise<string> {
  for await (const _ of response.body ?? []) {
    // Reads to the end, and discards it.
  }
  return String(response.status);
}

function recordingOf(family: string): Attack {
  const make = () => TINY_UNITS[family]?.(3.9 * MEBIBYTE) ?? Buffer.alloc(0);
  return send(recordingForm(make, 'sim/transcribe-free')());
}

function bodyOf(family: string, path?: string): Attack {
  const hostile = HOSTILE_BODIES[family]?.();
  if (hostile === undefined) throw new Error(`there is no family ${family}`);
  return send(hostile, path);
}

function send(hostile: HostileBody, path?: string): Attack {
  const bytes = new Uint8Array(hostile.body);
  return async (target) => statusOf(await post(target, path ?? hostile.path, hostile.contentType, bytes));
}

async function embeddings(target: Target): Promise<string> {
  const body = '{"model":"sim/embed-free","input":"x"}';
  return statusOf(await post(target, '/v1/embeddings', 'application/json', body));
}

function chat(model: string, bytes: number): string {
  const content = 'x'.repeat(bytes);
  return `{"model":"${model}","stream":true,"messages":[{"role":"user","content":"${content}"}]}`;
}

async function stream(target: Target, model: string, bytes: number): Promise<string> {
  return statusOf(await post(target, '/v1/chat/completions', 'application/json', chat(model, bytes)));
}

async function leaveStream(target: Target): Promise<string> {
  const left = new AbortController();
  const body = chat('sim/chat-free', 100_000);
  const response = await post(target, '/v1/chat/completions', 'application/json', body, left.signal);
  await wait(20);
  left.abort();
  return `${response.status}, left`;
}

async function leaveWhole(target: Target): Promise<string> {
  const body = JSON.stringify({ model: 'sim/chat-free', messages: [{ role: 'user', content: 'x' }] });
  const left = AbortSignal.timeout(5);
  return await post(target, '/v1/chat/completions', 'application/json', body, left).then(
    ({ status }) => `${status}, not left`,
    () => 'left',
  );
}

async function failing(target: Target): Promise<string> {
  const body = JSON.stringify({ model: 'sim/chat-free', messages: [{ role: 'user', content: FAILING }] });
  return statusOf(await post(target, '/v1/chat/completions', 'application/json', body));
}

/** Sends 19 of 20 MiB at once, and then one byte per second. */
async function slowUpload({ port, rawKey }: Target): Promise<string> {
  return await answerOf(port, (socket) => {
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${rawKey}\r\nContent-Type: application/json\r\nContent-Length: ${20 * MEBIBYTE}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(19 * MEBIBYTE, ' '));
    const drip = setInterval(() => socket.write(' '), 1_000);
    socket.once('close', () => clearInterval(drip));
  });
}

async function connectAndReset({ port }: Target): Promise<string> {
  return await answerOf(port, (socket) => {
    socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', () => socket.resetAndDestroy());
  });
}

async function inventedKey({ port, rawKey }: Target): Promise<string> {
  await wait(5);
  const invented = { port, rawKey: `${rawKey.slice(0, -8)}${Math.random().toString(36).slice(2, 10)}` };
  return stream(invented, 'sim/chat-free', 10);
}

async function pipelined({ port, rawKey }: Target): Promise<string> {
  const body = chat('sim/chat-free', 1_000).replace('"stream":true,', '');
  const request = `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${rawKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  await wait(50);
  return await answerOf(port, (socket) => socket.write(request.repeat(30)));
}

/** Returns the status of the first response, or 'no answer'. */
function answerOf(port: number, use: (socket: ReturnType<typeof connect>) => void): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => use(socket));
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      resolve(data.toString('latin1').split(' ')[1] ?? '');
      setTimeout(() => socket.destroy(), 100);
    });
    socket.once('close', () => resolve('no answer'));
  });
}
