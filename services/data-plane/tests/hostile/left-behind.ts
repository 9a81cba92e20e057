import { createHook } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';

/** Folders whose timers belong to a request; timers of other parts of the gateway run all the time. */
const OF_REQUESTS =
  /\/(services\/data-plane\/src\/(chat|http|upstream|capabilities|steps|routes|usage)|packages\/service-kit\/src\/http)\//;

const requestStart = z.looseObject({
  request: z.instanceof(IncomingMessage),
  response: z.instanceof(ServerResponse),
  socket: z.instanceof(Socket),
});

setFlagsFromString('--expose-gc');
const collect = z.function({ output: z.void() }).parse(runInNewContext('gc'));

/** Watches what the requests of one server leave behind in this process, until it is disposed of. */
export class LeftBehind implements Disposable {
  readonly #timers = new Map<number, string>();
  #requests: { of: string; reference: WeakRef<object> }[] = [];
  /** Names the requests from now on in what is found. */
  label = '';
  #socket: WeakRef<Socket> | undefined;
  readonly #port: number;
  readonly #hook = createHook({
    init: (id, type) => {
      if (type !== 'Timeout' && type !== 'Immediate') return;
      const { stack = '' } = new Error('here');
      const line = stack.split('\n').find((frame) => OF_REQUESTS.test(frame));
      if (line !== undefined) this.#timers.set(id, line.trim());
    },
    destroy: (id) => this.#timers.delete(id),
  });

  constructor(port: number) {
    this.#port = port;
    subscribe('http.server.request.start', this.#onRequest);
    this.#hook.enable();
  }

  [Symbol.dispose](): void {
    unsubscribe('http.server.request.start', this.#onRequest);
    this.#hook.disable();
  }

  /** Returns the stack frames that started the timers that still run. */
  timers(): string[] {
    return [...this.#timers.values()];
  }

  /** Counts the listeners on the newest connection. */
  listeners(): number {
    const socket = this.#socket?.deref();
    if (socket === undefined) throw new Error('no connection is open');
    return socket.eventNames().reduce((sum, event) => sum + socket.listenerCount(event), 0);
  }

  /** The requests and answers until now that are still reference by somebody. */
  async retainedRequests(): Promise<string[]> {
    await nextTurn();
    collect();
    // The second collection frees what only a finalizer could reach.
    await nextTurn();
    collect();
    this.#requests = this.#requests.filter(({ reference }) => reference.deref() !== undefined);
    return this.#requests.map(({ of }) => of);
  }

  readonly #onRequest = (message: unknown) => {
    const { request, response, socket } = requestStart.parse(message);
    if (socket.localPort !== this.#port) return;
    for (const reference of [request, response])
      this.#requests.push({ of: this.label, reference: new WeakRef(reference) });
    this.#socket = new WeakRef(socket);
  };
}
