import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { StopSwitch } from '@model-gateway/service-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPENAI_CALLER } from './caller-protocol.ts';
import { EventStreamWriter } from './event-stream-writer.ts';
import type { Exchange } from './exchange.ts';

let server: Server;
let answer: (writer: EventStreamWriter) => void;
type Answer = (writer: EventStreamWriter) => void | Promise<void>;
/** Socket writes of the server. */
let writes: number;

beforeAll(async () => {
  server = createServer((req, res) => {
    const { socket } = req;
    const countWrites = (method: '_write' | '_writev') => {
      const original = socket[method]?.bind(socket);
      if (original === undefined) throw new Error('sockets have no such method');
      Object.assign(socket, {
        [method]: (...args: unknown[]) => {
          writes += 1;
          return Reflect.apply(original, socket, args);
        },
      });
    };
    countWrites('_write');
    countWrites('_writev');
    const record: Exchange['record'] = {
      id: 'req_1',
      clientRequestId: undefined,
      route: '/v1/chat/completions',
      startedAtMs: performance.now(),
      clientIp: '127.0.0.1',
      streamed: true,
      attempts: [],
    };
    const exchange = { req, res, record, caller: OPENAI_CALLER, stop: new StopSwitch(), ends: [] };
    const headers = () => ({ 'content-type': 'text/event-stream' });
    answer(
      new EventStreamWriter(exchange, {
        headers,
        keepAliveMs: 60_000,
        mayBegin: () => true,
        stallMs: 60_000,
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

/** Returns the body's chunks as a client gets them, with their lengths. */
async function bodyOf(answerWith: Answer): Promise<string> {
  const answered = new Promise<void>((resolve) => {
    answer = (writer) => resolve(answerWith(writer));
  });
  writes = 0;
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it does not listen');
  const socket = connect(address.port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (part) => {
    received += part;
  });
  socket.write('GET / HTTP/1.1\r\nhost: gateway\r\nconnection: close\r\n\r\n');
  await answered;
  if (!socket.closed) await once(socket, 'close');
  return received.slice(received.indexOf('\r\n\r\n') + 4);
}

const now = () => performance.now();

describe('an event stream', () => {
  it('writes the head and the events of a tick at once', async () => {
    const body = await bodyOf(async (writer) => {
      for (const event of ['a\n\n', 'b\n\n', 'c\n\n']) writer.send(event, now());
      await wait(20);
      expect(writes).toBe(1);
      writer.send('d\n\n', now());
      await wait(20);
      expect(writes).toBe(2);
      writer.end('e\n\n');
    });
    expect(body).toBe('9\r\na\n\nb\n\nc\n\n\r\n3\r\nd\n\n\r\n3\r\ne\n\n\r\n0\r\n\r\n');
    expect(writes).toBe(3);
  });

  it('keeps the order of its events and its end within a tick', async () => {
    const body = await bodyOf((writer) => {
      writer.send('a\n\n', now());
      writer.end('b\n\n');
    });
    expect(body).toBe('6\r\na\n\nb\n\n\r\n0\r\n\r\n');
    expect(writes).toBe(1);
  });

  it('sends the events of a tick before an error breaks it off', async () => {
    const body = await bodyOf((writer) => {
      writer.send('a\n\n', now());
      writer.breakOff('error\n\n');
    });
    expect(body).toBe('a\r\na\n\nerror\n\n\r\n');
  });

  it('pauses its source while more waits than the connection takes', async () => {
    const reports: string[] = [];
    const large = `${'x'.repeat(8 * 1024 * 1024)}\n\n`;
    const body = await bodyOf((writer) => {
      const report = (name: string) => () => reports.push(name);
      const drained = () => {
        reports.push('drained');
        writer.end('end\n\n');
      };
      writer.source = { stalled: report('stalled'), fellBehind: report('fellBehind'), drained };
      writer.send(large, now());
      writer.send('small\n\n', now());
      expect(reports).toEqual([]);
    });
    expect(reports).toEqual(['fellBehind', 'drained']);
    expect(body.endsWith('small\n\n\r\n5\r\nend\n\n\r\n0\r\n\r\n')).toBe(true);
  });
});
