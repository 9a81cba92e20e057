import { connect, type Socket } from 'node:net';
import type { ErrorBody } from '@model-gateway/shared';

const CLOSE_WAIT_MS = 60_000;

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** True when the server ended the connection. */
  closed: boolean;
}

/**
 * Sends bytes as they are and reads one answer, for requests that no HTTP client would make.
 * @param after `end` ends the sending side when the bytes are sent
 */
export async function sendRaw(port: number, bytes: string | Buffer, after?: 'end'): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1');
  try {
    socket.write(bytes);
    if (after === 'end') socket.end();
    return await readAnswer(socket);
  } finally {
    socket.destroy();
  }
}

/** Reads one answer with a Content-Length, and whether the server closes right after it. */
export function readAnswer(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = '';
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      const answer = parseRawAnswer(text);
      if (answer === undefined)
        reject(new Error(`no complete answer, got ${JSON.stringify(text.slice(0, 200))}`));
      else resolve({ ...answer, closed });
    };
    const timer = setTimeout(() => finish(false), 120_000);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const answer = parseRawAnswer(text);
      if (answer === undefined) return;
      // A short wait shows whether the connection stays open. After `Connection: close` the wait is long,
      // because a busy machine may need time to close it.
      setTimeout(() => finish(false), answer.headers.connection === 'close' ? CLOSE_WAIT_MS : 100);
    });
    socket.on('close', () => finish(true));
    socket.on('error', () => undefined);
  });
}

/** Returns the error object of an error answer. @throws when the answer has none */
export function envelopeOf(answer: { body: string }): ErrorBody['error'] {
  const body: ErrorBody = JSON.parse(answer.body);
  return body.error;
}

/**
 * Parses the answer in these bytes, with its body as far as Content-Length says; undefined while more bytes
 * are missing.
 */
export function parseRawAnswer(text: string): Omit<RawAnswer, 'closed'> | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const body = text.slice(end + 4);
  if (body.length < Number(headers['content-length'] ?? 0)) return undefined;
  return { status: Number(statusLine.split(' ')[1]), headers, body };
}
