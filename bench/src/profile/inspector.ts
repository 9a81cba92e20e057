import { z } from 'zod';

const targets = z.array(z.object({ webSocketDebuggerUrl: z.string() }));
const answer = z.object({
  id: z.int().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});
const CALL_MS = 60_000;

/** The inspector of a Node process that was started with `--inspect`. */
export class Inspector implements Disposable {
  readonly #socket: WebSocket;
  #calls = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async connect(port: number): Promise<Inspector> {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`);
    const [target] = targets.parse(await response.json());
    if (target === undefined) throw new Error('there is nothing to inspect');
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', () => reject(new Error('the inspector does not answer')), {
        once: true,
      });
    });
    return new Inspector(socket);
  }

  async call(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#calls;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const onMessage = ({ data }: MessageEvent) => {
      const message = answer.parse(JSON.parse(String(data)));
      if (message.id !== id) return;
      if (message.error === undefined) resolve(message.result);
      else reject(new Error(message.error.message));
    };
    const timer = setTimeout(() => reject(new Error(`${method} is not answered`)), CALL_MS);
    this.#socket.addEventListener('message', onMessage);
    try {
      this.#socket.send(JSON.stringify({ id, method, params }));
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#socket.removeEventListener('message', onMessage);
    }
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}
