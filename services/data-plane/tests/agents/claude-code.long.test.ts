import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Books, openBooks, startGateway, type TestGateway, until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLIENT_KINDS, credentialsOfKinds, type MatrixKind, SIGNED_THOUGHT } from '../matrix/kinds.ts';
import { handPrices } from '../recorded/bill-by-hand.ts';
import { agentCatalog, agentModelId, CHANGES_OF_MODEL } from './agent-catalog.ts';
import { billOfCall } from './bill-of-call.ts';
import { type ClaudeCodeRun, fetchClaudeCode, runClaudeCode } from './claude-code.ts';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';
import { replayConversations } from './replayed-conversations.ts';

/**
 * The real Claude Code, fetched from npm. It sends another request to a model whose name it knows than to one
 * that it does not, so each kind of provider has a model under either.
 */
const NAMES = { 'a name that it knows': 'claude-sonnet-4-5', 'any other name': 'any-other' } as const;
const MODELS = CLIENT_KINDS.flatMap((kind) =>
  Object.entries(NAMES).map(([told, name]) => ({ title: `${kind.title}, under ${told}`, kind, name })),
);
const CONVERSATIONS = CHANGES_OF_MODEL.flatMap(({ kinds, title }) =>
  Object.entries(NAMES).map(([told, name]) => ({ title: `${title}, under ${told}`, kinds, name })),
);
const CLAUDE = 'sim-anthropic/claude-sonnet-4-5';
const CHAT = 'sim-openai/any-other';
/** The simulated providers end a task with what its last tool returned. */
const FINAL_TEXT = /The tool reports|According to the tool/;
const PRICES = handPrices(0);
const REPLAYED = 200;

const stack = new AsyncDisposableStack();
let program: string;
let proxy: RecordingProxy;
let gateway: TestGateway;
let books: Books;

beforeAll(async () => {
  program = await fetchClaudeCode();
  proxy = stack.use(await startRecordingProxy());
  gateway = stack.use(
    await startGateway({
      environment: credentialsOfKinds,
      document: (baseUrl) => {
        proxy.target = baseUrl;
        return agentCatalog(proxy.baseUrl, CLIENT_KINDS, Object.values(NAMES), PRICES);
      },
    }),
  );
  books = stack.use(openBooks(gateway.databaseUrl));
}, 15 * 60_000);
afterAll(() => stack.disposeAsync());
beforeEach(() => {
  proxy.calls.length = 0;
});

/** The simulated providers call the tools that the lines of a task name, turn by turn. */
function task(folder: string, name = 'out.txt'): string {
  const file_path = join(folder, name);
  return [
    'Create a file and change a word of it.',
    `use Write: ${JSON.stringify({ file_path, content: 'hello world\n' })}`,
    `use Edit: ${JSON.stringify({ file_path, old_string: 'hello', new_string: 'goodbye' })}`,
    'run: cat out*.txt > copy.txt',
  ].join('\n');
}

/** Two calls at once, then one after the other. */
function taskOfTurn(folder: string, turn: number): string {
  const file_path = join(folder, `out-${turn}.txt`);
  return [
    `Turn ${turn}: create a file, change a word of it, and append it to the log.`,
    `use Write: ${JSON.stringify({ file_path, content: `hello ${turn}\n` })}`,
    `also run: echo ${turn} >> turns.txt`,
    `use Edit: ${JSON.stringify({ file_path, old_string: 'hello', new_string: 'goodbye' })}`,
    `run: cat out-${turn}.txt >> log.txt`,
  ].join('\n');
}

/** With `-p`, only a last block of text is printed, and Gemini signs its last text in a block behind it. */
function expectFinalText(run: ClaudeCodeRun, kind: MatrixKind | undefined, where = ''): void {
  if (kind?.title !== 'Gemini' && kind?.title !== 'Vertex') expect(run.output, where).toMatch(FINAL_TEXT);
}

async function expectDone(
  run: ClaudeCodeRun,
  { name = 'out.txt', kind }: { name?: string; kind?: MatrixKind } = {},
): Promise<void> {
  expect(run.exitCode, run.output).toBe(0);
  expectFinalText(run, kind);
  expect(await readFile(join(run.folder, name), 'utf8')).toBe('goodbye world\n');
  expect(await readFile(join(run.folder, 'copy.txt'), 'utf8')).toBe('goodbye world\n');
}

/** The charges of these accounts, once as many requests are settled as the provider has answered. */
async function expectExactBill(accounts: readonly string[], turns: number): Promise<void> {
  expect(proxy.calls.length).toBeGreaterThanOrEqual(turns);
  let rows: Record<string, unknown>[] = [];
  await until(async () => {
    rows = await books.query('SELECT charged FROM usage_records WHERE account_id = ANY($1)', [accounts]);
    return rows.length === proxy.calls.length;
  });
  const charges = rows.map(({ charged }) => BigInt(String(charged))).sort();
  const byHand = proxy.calls.map((call) => billOfCall(call, PRICES)).sort();
  expect(charges).toEqual(byHand);
}

describe('Claude Code', () => {
  it.each(MODELS)(
    'Claude Code creates a file, edits it, and is billed to the nano-dollar: $title',
    async ({ kind, name }) => {
      const key = await gateway.createKey();
      await using run = await runClaudeCode(program, {
        baseUrl: gateway.baseUrl,
        rawKey: key.rawKey,
        model: agentModelId(kind, name),
        task,
      });
      await expectDone(run, { kind });
      await expectExactBill([key.accountId], 4);
      const usage = await fetch(`${gateway.baseUrl}/v1/usage`, {
        headers: { authorization: `Bearer ${key.rawKey}` },
      });
      const total = proxy.calls.reduce((sum, call) => sum + billOfCall(call, PRICES), 0n);
      expect(await usage.json()).toMatchObject({
        totals: { cost_usd: `${total / 1_000_000_000n}.${String(total % 1_000_000_000n).padStart(9, '0')}` },
      });
    },
  );

  it.each(CONVERSATIONS)(
    'Claude Code continues one conversation with another model at every turn: $title',
    async ({ kinds, name }) => {
      const key = await gateway.createKey();
      const models = kinds.map((kind) => agentModelId(kind, name));
      const [first = ''] = models;
      await using begun = await runClaudeCode(program, {
        baseUrl: gateway.baseUrl,
        rawKey: key.rawKey,
        model: first,
        task: (folder) => taskOfTurn(folder, 0),
      });
      let run: ClaudeCodeRun = begun;
      for (const [turn, kind] of kinds.entries()) {
        if (turn > 0) run = await run.continueWith(models[turn] ?? '', taskOfTurn(run.folder, turn));
        const where = `turn ${turn} at ${kind.title}: ${run.output}`;
        expect(run.exitCode, where).toBe(0);
        expectFinalText(run, kind, where);
        const turns = Array.from({ length: turn + 1 }, (_, index) => index);
        const logged = turns.map((index) => `goodbye ${index}\n`).join('');
        expect(await readFile(join(run.folder, 'log.txt'), 'utf8'), where).toBe(logged);
        expect(await readFile(join(run.folder, 'turns.txt'), 'utf8'), where).toBe(`${turns.join('\n')}\n`);
        const request = proxy.calls.at(-1)?.request ?? '';
        for (const index of turns) expect(request, where).toContain(`out-${index}.txt`);
        if (kind.checksThoughtsOf.includes('Messages')) expect(request, where).toMatch(SIGNED_THOUGHT);
      }
      expect(proxy.calls.filter(({ status }) => status !== 200)).toEqual([]);
      await expectExactBill([key.accountId], 4 * kinds.length);
    },
  );

  it('two Claude Code processes work at once, on either kind of provider', async () => {
    const key = await gateway.createKey();
    const runs = await Promise.all(
      [CLAUDE, CHAT].map((model, index) =>
        runClaudeCode(program, {
          baseUrl: gateway.baseUrl,
          rawKey: key.rawKey,
          model,
          task: (folder) => task(folder, `out-${index}.txt`),
        }),
      ),
    );
    for (const [index, run] of runs.entries()) {
      await expectDone(run, { name: `out-${index}.txt` });
      await run[Symbol.asyncDispose]();
    }
    await expectExactBill([key.accountId], 8);
  });

  it(`a data plane serves what Claude Code sent to ${REPLAYED} callers at once, and each response is complete`, async () => {
    const key = await gateway.createKey();
    await using run = await runClaudeCode(program, {
      baseUrl: gateway.baseUrl,
      rawKey: key.rawKey,
      model: CLAUDE,
      task,
    });
    await expectDone(run);
    const turns = proxy.calls.map(({ request }) => request);
    expect(turns.length).toBeGreaterThanOrEqual(4);
    expect(Math.min(...turns.map(({ length }) => length))).toBeGreaterThan(80_000);
    const payer = await replayConversations(gateway, {
      turns,
      conversations: REPLAYED,
      models: [CLAUDE, CHAT],
      upstreamModel: 'sim-claude-pro',
    });
    await expectExactBill([key.accountId, payer], REPLAYED * turns.length);
  });
});
