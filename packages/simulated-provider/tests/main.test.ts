import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

async function start(environment: Record<string, string>) {
  // Vitest's own options are left out: they would make the child another test worker.
  const child = fork(MAIN, {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: '0',
      ...environment,
    },
    execArgv: [],
    silent: true,
  });
  const [line] = await once(child.stdout ?? child, 'data');
  const baseUrl = /listening on (\S+)/.exec(String(line))?.[1] ?? '';
  return { baseUrl, child, exited: once(child, 'exit') };
}

describe('the process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends on %s with exit code 0, open streams or not',
    async (signal) => {
      const { baseUrl, child, exited } = await start({ SIMULATED_API_KEY: 'sk-1' });
      const response = await fetch(`${baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-1' },
        body: '{"model":"sim-chat-free","messages":[{"role":"user","content":"x"}],"stream":true,"simulate":{"hang":"after_headers"}}',
      });
      expect(response.status).toBe(200);
      child.kill(signal);
      expect((await exited)[0]).toBe(0);
      await expect(response.text()).rejects.toThrow();
    },
  );

  it('ends with the process that started it', async () => {
    const { baseUrl, child, exited } = await start({});
    expect((await fetch(`${baseUrl}/models`)).status).toBe(200);
    child.disconnect();
    expect((await exited)[0]).toBe(0);
  });
});
