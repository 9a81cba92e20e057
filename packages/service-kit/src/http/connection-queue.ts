import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Clients that pipeline send a few requests ahead; nobody needs more. */
const MAX_WAITING = 32;
/** Maximum characters of the headers of waiting requests, which stay in memory. */
const MAX_WAITING_HEADERS = 64 * 1024;

/** A property of the socket: a look-up in a WeakMap takes longer. */
const CONNECTION = Symbol('connection');

declare module 'node:stream' {
  interface Duplex {
    [CONNECTION]?: Connection;
  }
}

/**
 * Serves the requests of one connection in order. Node hands out pipelined requests at once: they would run
 * concurrently, even after a response that ends the connection, and without a socket that could be cut.
 */
export class ConnectionQueue {
  /** The current response; undefined between two requests. */
  current(socket: Duplex): ServerResponse | undefined {
    return socket[CONNECTION]?.current;
  }

  /** Runs `serve` now or after the earlier responses. It never runs when one ends the connection. */
  add(socket: Duplex, response: ServerResponse, serve: () => void): void {
    const connection = connectionOf(socket);
    if (connection.ended) return;
    if (connection.current === undefined) begin(socket, connection, response, serve);
    else {
      connection.waitingHeaders += headersOf(response);
      wait(socket, connection, () => begin(socket, connection, response, serve));
    }
  }

  /** Runs `work`, which ends the connection, when the responses before it are done. */
  finish(socket: Duplex, work: () => void): void {
    const connection = connectionOf(socket);
    if (connection.current === undefined) work();
    else wait(socket, connection, work);
  }
}

interface Connection {
  current: ServerResponse | undefined;
  waiting: (() => void)[];
  /** The length of the headers of all requests that have had to wait since the queue was last empty. */
  waitingHeaders: number;
  /** True after a response that ends the connection. Requests that arrive later are dropped. */
  ended: boolean;
}

function connectionOf(socket: Duplex): Connection {
  socket[CONNECTION] ??= { current: undefined, waiting: [], waitingHeaders: 0, ended: false };
  return socket[CONNECTION];
}

function begin(socket: Duplex, connection: Connection, response: ServerResponse, serve: () => void): void {
  connection.current = response;
  response.on('close', () => serveNext(socket, connection, response));
  serve();
}

function wait(socket: Duplex, connection: Connection, work: () => void): void {
  const { waiting, waitingHeaders } = connection;
  if (waiting.length < MAX_WAITING && waitingHeaders <= MAX_WAITING_HEADERS) waiting.push(work);
  else socket.destroy();
}

function headersOf({ req }: ServerResponse): number {
  return req.rawHeaders.reduce((sum, text) => sum + text.length, req.url?.length ?? 0);
}

function serveNext(socket: Duplex, connection: Connection, done: ServerResponse): void {
  connection.current = undefined;
  if (connection.waiting.length === 0) connection.waitingHeaders = 0;
  connection.ended = socket.destroyed || !done.shouldKeepAlive || done.getHeader('connection') === 'close';
  if (connection.ended) connection.waiting.length = 0;
  else connection.waiting.shift()?.();
}
