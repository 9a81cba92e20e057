import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchClaudeCode, runClaudeCode } from '../../../services/data-plane/tests/agents/claude-code.ts';
import { gatewayctl } from './npm-start.ts';
import { type StartedWithKeys, sixAtOnce, startWithKeys } from './start-with-keys.ts';

const LONG = 600_000;

let program: string;
let gateway: StartedWithKeys;
beforeAll(async () => {
  program = await fetchClaudeCode();
  gateway = await startWithKeys();
}, 15 * 60_000);
afterAll(() => gateway?.[Symbol.asyncDispose]());

it('Claude Code with a conversation of 600 kB and six other requests get no 402 after npm start', async () => {
  const { file, provider, start } = gateway;
  const running = runClaudeCode(program, {
    baseUrl: new URL(file.base_url).origin,
    rawKey: file.api_key,
    model: 'claude-sonnet-4-6',
    input: 'a line that was read before\n'.repeat(LONG / 28),
    task: (folder) =>
      [
        'Create a file and change a word of it.',
        `use Write: ${JSON.stringify({ file_path: join(folder, 'out.txt'), content: 'hello world\n' })}`,
        'run: cat out.txt > copy.txt',
      ].join('\n'),
  });
  expect(await sixAtOnce(gateway)).toEqual([200, 200, 200, 200, 200, 200]);
  await using run = await running;
  expect(run.exitCode, run.output).toBe(0);
  expect(await readFile(join(run.folder, 'copy.txt'), 'utf8')).toBe('hello world\n');
  const longest = Math.max(...provider.requests.map(({ body }) => JSON.stringify(body).length));
  expect(longest).toBeGreaterThan(LONG);
  const args = ['receipts', 'list', '--account', 'you@example.com', '--json'];
  const receipts: { status: number }[] = JSON.parse(await gatewayctl(start.dataDir, ...args));
  expect(receipts.length).toBeGreaterThanOrEqual(9);
  expect(receipts.filter(({ status }) => status === 402)).toEqual([]);
});
