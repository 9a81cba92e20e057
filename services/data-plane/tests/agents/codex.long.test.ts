import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Books,
  openBooks,
  postJson,
  startGateway,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLIENT_KINDS, credentialsOfKinds, type MatrixKind, SIGNED_THOUGHT } from '../matrix/kinds.ts';
import { handPrices } from '../recorded/bill-by-hand.ts';
import { agentCatalog, agentModelId, CHANGES_OF_MODEL } from './agent-catalog.ts';
import { billOfCall } from './bill-of-call.ts';
import { type CodexRun, fetchCodex, runCodex } from './codex.ts';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';

/**
 * The real Codex, fetched from npm. What it offers depends on how the name of the model begins: `gpt-5.5`
 * gets a freeform `apply_patch`; `gpt-6-sol` gets all tools in an item of the input, and calls them from code
 * that it writes; a name that Codex does not know gets a namespace of tools.
 */
const NAMES = ['gpt-5.5', 'gpt-6-sol', 'any-other'] as const;
/** A model of OpenAI in both of its APIs. */
const OPENAI: MatrixKind = {
  title: 'OpenAI, both APIs',
  kind: 'openai-compatible',
  provider: (base_url) => ({ base_url, credential_env: 'SIMULATED_API_KEY', apis: ['chat', 'responses'] }),
  upstreamModel: 'sim-chat-pro',
  refusalReason: 'content_filter',
  tooLong: '',
  checksThoughtsOf: ['Responses'],
};
/** Before it changes to a name like `gpt-6-sol`, Codex compacts the conversation. */
const CONVERSATIONS = CHANGES_OF_MODEL.flatMap(({ kinds, title }) =>
  ([['gpt-5.5', 'any-other'], ['gpt-6-sol']] as const).map((names) => ({
    title: `${title}, as ${names.join(' and ')}`,
    kinds,
    names,
  })),
);
const SPEAKING_RESPONSES = [OPENAI.title, 'OpenAI Responses', 'Azure'];
const KINDS = [...CLIENT_KINDS, OPENAI].map((kind) => ({
  ...kind,
  speaksResponses: SPEAKING_RESPONSES.includes(kind.title),
}));
/** Enough for what the gateway says by itself: at a provider of the same API, and where it translates. */
const SOME_KINDS = KINDS.filter(({ title }) => ['Gemini', OPENAI.title].includes(title));
const PRICES = handPrices(0);

const stack = new AsyncDisposableStack();
let program: string;
let proxy: RecordingProxy;
let gateway: TestGateway;
let books: Books;

beforeAll(async () => {
  program = await fetchCodex();
  proxy = stack.use(await startRecordingProxy());
  gateway = stack.use(
    await startGateway({
      environment: credentialsOfKinds,
      document: (baseUrl) => {
        proxy.target = baseUrl;
        return agentCatalog(proxy.baseUrl, KINDS, NAMES, PRICES);
      },
    }),
  );
  books = stack.use(openBooks(gateway.databaseUrl));
}, 15 * 60_000);
afterAll(() => stack.disposeAsync());
beforeEach(() => {
  proxy.calls.length = 0;
  gateway.provider.clear();
});

/** The simulated providers call the tools that the lines of a task name, turn by turn. */
const PATCH = `*** Begin Patch
*** Update File: out.txt
@@
-hello "world"
+goodbye "world"
*** Add File: notes/new.txt
+\ttabs, é and 🌊
*** End Patch`;
const TASK = [
  'Create a file and change a word of it.',
  `use exec_command: ${JSON.stringify({ cmd: `echo 'hello "world"' > out.txt` })}`,
  `use apply_patch: ${JSON.stringify({ input: PATCH })}`,
  `use exec_command: ${JSON.stringify({ cmd: 'cat out.txt notes/new.txt > copy.txt' })}`,
].join('\n');
const TURNS = 4;

async function codex(
  kind: MatrixKind,
  name: (typeof NAMES)[number],
  task: string,
  rawKey: string,
): Promise<CodexRun> {
  const model = agentModelId(kind, name);
  return runCodex(program, { baseUrl: gateway.baseUrl, model, rawKey, task });
}

function printed({ answer, exitCode, folder, progress }: CodexRun): string {
  return `exit ${exitCode} in ${folder}\n${answer}\n${progress}`;
}

/** What Codex offers differs by the name, so the calls of earlier turns are calls of other tools. */
function taskOfTurn(name: (typeof NAMES)[number], speaksResponses: boolean, turn: number): string {
  const patch = `*** Begin Patch\n*** Add File: out-${turn}.txt\n+turn ${turn}\n*** End Patch`;
  const log = { cmd: `cat out-${turn}.txt >> log.txt` };
  const code = `text(await tools.apply_patch(${JSON.stringify(patch)}));
text(await tools.exec_command(${JSON.stringify(log)}));`;
  const calls = {
    'gpt-5.5': [
      `use apply_patch: ${JSON.stringify({ input: patch })}`,
      `use exec_command: ${JSON.stringify(log)}`,
    ],
    'gpt-6-sol': [`use ${speaksResponses ? 'exec' : 'functions__exec'}: ${JSON.stringify({ input: code })}`],
    'any-other': [
      `use exec_command: ${JSON.stringify({ cmd: `echo 'turn ${turn}' > out-${turn}.txt` })}`,
      `use exec_command: ${JSON.stringify(log)}`,
    ],
  };
  return [`Turn ${turn}: create a file and append it to the log.`, ...calls[name]].join('\n');
}

/** Its charges, once as many requests are settled as the provider has answered. */
async function expectExactBill(account: string): Promise<void> {
  let rows: Record<string, unknown>[] = [];
  await until(async () => {
    rows = await books.query('SELECT charged FROM usage_records WHERE account_id = $1', [account]);
    return rows.length === proxy.calls.length;
  });
  const charges = rows.map(({ charged }) => BigInt(String(charged))).sort();
  expect(charges).toEqual(proxy.calls.map((call) => billOfCall(call, PRICES)).sort());
}

describe('Codex', () => {
  it.each(KINDS)(
    'Codex runs commands, applies a patch, and is billed to the nano-dollar: $title',
    async (kind) => {
      const { accountId, rawKey } = await gateway.createKey();
      await using run = await codex(kind, 'gpt-5.5', TASK, rawKey);
      expect(run.exitCode, printed(run)).toBe(0);
      const patched = 'goodbye "world"\n\ttabs, é and 🌊\n';
      expect(await readFile(join(run.folder, 'copy.txt'), 'utf8'), printed(run)).toBe(patched);
      expect(run.answer).not.toBe('');
      expect(run.progress).not.toContain('ERROR');
      expect(proxy.calls).toHaveLength(TURNS);
      expect(proxy.calls.every(({ path }) => path.endsWith('/responses') === kind.speaksResponses)).toBe(
        true,
      );
      if (kind.checksThoughtsOf.includes('Responses')) {
        expect(proxy.calls.at(-1)?.request).toMatch(SIGNED_THOUGHT);
      }
      await expectExactBill(accountId);
    },
  );

  it.each(CONVERSATIONS)(
    'Codex continues one conversation with another model at every turn: $title',
    async ({ kinds, names }) => {
      const { accountId, rawKey } = await gateway.createKey();
      const tasks = kinds.map((kind, turn) => {
        const name = names[turn % names.length] ?? 'any-other';
        const speaksResponses = SPEAKING_RESPONSES.includes(kind.title);
        return { kind, name, model: agentModelId(kind, name), task: taskOfTurn(name, speaksResponses, turn) };
      });
      const [{ model = '', task = '' } = {}] = tasks;
      await using begun = await runCodex(program, { baseUrl: gateway.baseUrl, model, rawKey, task });
      let run: CodexRun = begun;
      for (const [turn, next] of tasks.entries()) {
        if (turn > 0) run = await run.continueWith(next.model, next.task);
        const where = `turn ${turn} at ${next.kind.title}: ${printed(run)}`;
        expect(run.exitCode, where).toBe(0);
        const turns = Array.from({ length: turn + 1 }, (_, index) => index);
        const logged = turns.map((index) => `turn ${index}\n`).join('');
        expect(await readFile(join(run.folder, 'log.txt'), 'utf8'), where).toBe(logged);
        const request = proxy.calls.at(-1)?.request ?? '';
        for (const index of turns) expect(request, where).toContain(`out-${index}.txt`);
        if (next.name !== 'any-other' && next.kind.checksThoughtsOf.includes('Responses'))
          expect(request, where).toMatch(SIGNED_THOUGHT);
      }
      expect(proxy.calls.filter(({ status }) => status !== 200)).toEqual([]);
      await expectExactBill(accountId);
    },
  );

  it.each(KINDS)('Codex compacts a conversation for a model of another family: $title', async (kind) => {
    const { accountId, rawKey } = await gateway.createKey();
    await using begun = await codex(kind, 'gpt-5.5', 'Say hello.', rawKey);
    expect(begun.exitCode, printed(begun)).toBe(0);
    const task = taskOfTurn('gpt-6-sol', kind.speaksResponses, 1);
    const run = await begun.continueWith(agentModelId(kind, 'gpt-6-sol'), task);
    expect(run.exitCode, printed(run)).toBe(0);
    expect(run.progress).toContain('context compacted');
    expect(await readFile(join(run.folder, 'log.txt'), 'utf8'), printed(run)).toBe('turn 1\n');
    expect(proxy.calls).toHaveLength(4);
    await expectExactBill(accountId);
  });

  it.each(KINDS)('Codex runs code that calls the tools of an input item: $title', async (kind) => {
    const { accountId, rawKey } = await gateway.createKey();
    const name = kind.speaksResponses ? 'exec' : 'functions__exec';
    const input = `const patch = ${JSON.stringify(PATCH)};
await tools.exec_command({ cmd: "echo 'hello \\"world\\"' > out.txt" });
text(await tools.apply_patch(patch));`;
    const task = `Change a file.\nuse ${name}: ${JSON.stringify({ input })}`;
    await using run = await codex(kind, 'gpt-6-sol', task, rawKey);
    expect(run.exitCode, printed(run)).toBe(0);
    expect(await readFile(join(run.folder, 'out.txt'), 'utf8'), printed(run)).toBe('goodbye "world"\n');
    expect(proxy.calls).toHaveLength(2);
    await expectExactBill(accountId);
  });

  it.each(KINDS)('Codex calls a tool of a namespace by its two names: $title', async (kind) => {
    const { rawKey } = await gateway.createKey();
    const name = kind.speaksResponses ? 'close_agent' : 'multi_agent_v1__close_agent';
    await using run = await codex(kind, 'any-other', `use ${name}: {"target":"nobody"}`, rawKey);
    expect(run.exitCode, printed(run)).toBe(0);
    // Output of its own tool. For an unknown name Codex says "unsupported call".
    expect(run.progress).toContain('invalid agent id nobody');
    expect(proxy.calls).toHaveLength(2);
  });

  it.each(KINDS)('Codex retries by itself after a broken stream: $title', async (kind) => {
    const { rawKey } = await gateway.createKey();
    gateway.provider.script({ content: 'word '.repeat(50), truncate: { after_events: 4 } });
    await using run = await codex(kind, 'gpt-5.5', 'Say hello.', rawKey);
    expect(run.exitCode, printed(run)).toBe(0);
    expect(run.progress).toContain('Reconnecting... 1/5');
    expect(proxy.calls).toHaveLength(2);
  });

  it.each(SOME_KINDS)('Codex shows its user that credit is missing: $title', async (kind) => {
    const poor = await gateway.admin.call(10_000, 'accounts', 'createAccount', {
      email: `codex-${kind.title.replaceAll(/\W/g, '')}@example.com`,
      name: 'Poor',
    });
    const { rawKey } = await gateway.createKey(poor.id);
    await using run = await codex(kind, 'gpt-5.5', 'Say hello.', rawKey);
    expect(run.exitCode, printed(run)).toBe(1);
    expect(run.progress).toMatch(/402 Payment Required: This request may cost up to .+ request id: req_/);
    expect(proxy.calls).toEqual([]);
  });

  it.each(SOME_KINDS)('Codex shows its user that a rate limit was hit: $title', async (kind) => {
    const account = await gateway.createAccount();
    const { rawKey } = await gateway.createKey(account);
    const concurrentStreams = { value: 1 };
    await gateway.admin.call(10_000, 'accounts', 'setLimits', { account, concurrentStreams });
    gateway.provider.script({ token_delay_ms: 1_000, content: 'word '.repeat(500) });
    const abort = new AbortController();
    const stream = await postJson(
      gateway.baseUrl,
      rawKey,
      'chat/completions',
      {
        model: agentModelId(OPENAI, 'any-other'),
        stream: true,
        messages: [{ role: 'user', content: 'Hi' }],
      },
      { signal: abort.signal },
    );
    expect(stream.status).toBe(200);
    await using run = await codex(kind, 'gpt-5.5', 'Say hello.', rawKey);
    abort.abort();
    expect(run.exitCode, printed(run)).toBe(1);
    expect(run.progress).toMatch(/last status: 429 Too Many Requests, request id: req_/);
    expect(gateway.provider.requests).toHaveLength(1);
  });
});
