import { execFile, spawnSync } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { modelEntry, simulatedCatalog, startGateway, type TestGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_VARIABLE } from '../web/src/pages/first-request/recipes.ts';
import { requestCode } from '../web/src/pages/playground/request-code.ts';
import { chatCompletionsBody } from '../wire/chat-completions-body.ts';

const run = promisify(execFile);
/** The folder in which the clients are installed. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const SYSTEM = `Answer in "verse", it's 5 o'clock.\nÜber \\ alles: 🎈 $HOME \`id\` \${x} true null`;
const SYSTEM_END = 'true null';
const TOOL = {
  type: 'function',
  function: { name: 'get_weather', strict: false, parameters: { type: 'object', properties: {} } },
};
const body = chatCompletionsBody({
  model: 'sim/seeing',
  messages: [
    { role: 'system', content: SYSTEM },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'use get_weather: {"city":"Rome"}' },
        // Longer than the longest argument of a program.
        { type: 'image_url', image_url: { url: `data:image/png;base64,${'AAAA'.repeat(50_000)}` } },
      ],
    },
  ],
  tools: [TOOL],
  temperature: 0.5,
  maxTokens: 100,
});

describe('the code of a request', () => {
  let gateway: TestGateway;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    gateway = await startGateway({
      document: (baseUrl) => {
        const { models, providers } = simulatedCatalog(baseUrl);
        const seeing = modelEntry(
          'sim/seeing',
          { sim: 'sim-chat-free' },
          { input_modalities: ['text', 'image'] },
        );
        return { providers, models: [...models, seeing] };
      },
    });
    const { rawKey } = await gateway.createKey();
    environment = { ...process.env, [KEY_VARIABLE]: rawKey };
  });
  afterAll(() => gateway?.close());

  const codeOf = (id: string, sent: object = body) =>
    requestCode({ baseUrl: `${gateway.baseUrl}/v1`, body: { ...sent } }).find((tab) => tab.id === id)?.code ??
    '';

  /** Runs code from standard input, because an argument has 128 KiB at most. @returns the program's output */
  async function runCode(program: string, options: readonly string[], code: string, variables = {}) {
    const running = run(program, options, { cwd: ROOT, env: { ...environment, ...variables } });
    running.child.stdin?.end(code);
    return (await running).stdout;
  }

  async function expectSent(output: string): Promise<void> {
    expect(output).toContain('get_weather');
    const { bodyText } = await gateway.provider.waitForRequest((request) =>
      request.bodyText.includes(SYSTEM_END),
    );
    const { model, ...sent } = body;
    expect(JSON.parse(bodyText)).toMatchObject(sent);
    gateway.provider.clear();
  }

  it('sends exactly the request of the playground: TypeScript', async () => {
    await expectSent(await runCode(process.execPath, ['--input-type=module', '-'], codeOf('typescript')));
  });

  it('sends exactly the request of the playground: curl', async () => {
    await expectSent(await runCode('sh', ['-s'], codeOf('curl')));
    expect(codeOf('curl')).toContain("<<'JSON'");
    expect(codeOf('curl', { model: 'sim/seeing' })).toContain(`-d '{ "model": "sim/seeing" }'`);
  });

  it.skipIf(spawnSync('python3', ['--version']).status !== 0)(
    'sends exactly the request of the playground: Python',
    async () => {
      // A stand-in for the client, which prints what it is called with.
      const client = `
import json
class OpenAI:
    def __init__(self, base_url, api_key):
        self.chat = self.completions = self
    def create(self, **body):
        print(json.dumps(body))
        return []
`;
      await using folder = await mkdtempDisposable(join(tmpdir(), 'openai-'));
      await writeFile(join(folder.path, 'openai.py'), client);
      const output = await runCode('python3', ['-'], codeOf('python'), { PYTHONPATH: folder.path });
      expect(JSON.parse(output)).toEqual(body);
    },
  );
});
