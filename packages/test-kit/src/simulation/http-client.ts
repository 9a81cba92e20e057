import { Socket } from 'node:net';

export interface HttpResponse {
  /** 0: the connection failed before a response. */
  status: number;
  requestId: string;
  body: string;
  /** True if the response arrived up to its end. */
  isWhole: boolean;
}

/** Sends one request over a connection of its own, and reads the response until its end. */
export function postChat(hostName: string, port: number, key: string, body: object): Promise<HttpResponse> {
  const text = JSON.stringify(body);
  const socket = new Socket();
  let received = '';
  return new Promise((resolve) => {
    const end = () => resolve(parse(received));
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
      if (parse(received).isWhole) {
        end();
        socket.destroy();
      }
    });
    socket.on('error', end);
    socket.on('close', end);
    socket.connect(port, hostName, () => {
      const head = [
        'POST /v1/chat/completions HTTP/1.1',
        `host: ${hostName}`,
        `authorization: Bearer ${key}`,
        'content-type: application/json',
        `content-length: ${text.length}`,
        'connection: close',
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
    });
  });
}

function parse(text: string): HttpResponse {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const raw = rest.join('\r\n\r\n');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
  const length = header('content-length');
  const isWhole =
    rest.length > 0 &&
    (length === undefined
      ? /(^|\r\n)0\r\n/.test(raw) && text.endsWith('0\r\n\r\n')
      : raw.length >= Number(length));
  const body = length === undefined ? raw.replace(/(^|\r\n)[\da-f]+\r\n/g, '') : raw;
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0);
  return { status, requestId: header('x-request-id') ?? '', body, isWhole };
}
