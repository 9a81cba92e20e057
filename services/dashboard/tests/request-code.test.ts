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
import { playgroundChatRequest } from '../wire/playground.ts';
import { PLAYGROUND_PATHS, playgroundBody, type RequestBody } from '../wire/playground-body.ts';

const run = promisify(execFile);
/** The folder in which the clients are installed. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const SYSTEM = `Answer in "verse", it's 5 o'clock.\nÜber \\ alles: 🎈 $HOME \`id\` \${x} true null`;
const SYSTEM_END = 'true null';
const TOOL = {
  type: 'function',
  function: { name: 'get_weather', strict: false, parameters: { type: 'object', properties: {} } },
};
const chat = playgroundChatRequest.parse({
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

const APIS = ['chat_completions', 'messages', 'responses'] as const;
type Api = (typeof APIS)[number];
const bodyOf = (api: Api) => playgroundBody({ ...chat, api });
const hasPython = spawnSync('python3', ['--version']).status === 0;
const hasPythonClients = hasPython && spawnSync('python3', ['-c', 'import openai, anthropic']).status === 0;

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

  const codeOf = (api: Api, id: string, sent: RequestBody = bodyOf(api)) =>
    requestCode({ baseUrl: `${gateway.baseUrl}/v1`, api, body: sent }).find((tab) => tab.id === id)?.code ??
    '';

  /** Runs code from standard input, because an argument has 128 KiB at most. @returns the program's output */
  async function runCode(program: string, options: readonly string[], code: string, variables = {}) {
    const running = run(program, options, { cwd: ROOT, env: { ...environment, ...variables } });
    running.child.stdin?.end(code);
    return (await running).stdout;
  }

  /** Sends a request. @returns what the provider got */
  async function sentBy(send: () => Promise<string>): Promise<unknown> {
    gateway.provider.clear();
    expect(await send()).toContain('get_weather');
    const { bodyText } = await gateway.provider.waitForRequest((request) =>
      request.bodyText.includes(SYSTEM_END),
    );
    return JSON.parse(bodyText);
  }

  async function byPlayground(api: Api): Promise<string> {
    const response = await fetch(`${gateway.baseUrl}/v1/${PLAYGROUND_PATHS[api]}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${environment[KEY_VARIABLE]}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(api)),
    });
    expect(response.status).toBe(200);
    return await response.text();
  }

  describe.each(APIS)('of %s', (api) => {
    let expected: unknown;
    beforeAll(async () => {
      expected = await sentBy(() => byPlayground(api));
    });

    it('sends exactly the request of the playground: TypeScript', async () => {
      const code = codeOf(api, 'typescript');
      const run = () => runCode(process.execPath, ['--input-type=module', '-'], code);
      expect(await sentBy(run)).toEqual(expected);
    });

    it('sends exactly the request of the playground: curl', async () => {
      expect(await sentBy(() => runCode('sh', ['-s'], codeOf(api, 'curl')))).toEqual(expected);
      expect(codeOf(api, 'curl')).toContain("<<'JSON'");
      expect(codeOf(api, 'curl', { model: 'sim/seeing' })).toContain(`-d '{ "model": "sim/seeing" }'`);
    });

    it.skipIf(!hasPythonClients)('sends exactly the request of the playground: Python', async () => {
      expect(await sentBy(() => runCode('python3', ['-'], codeOf(api, 'python')))).toEqual(expected);
    });

    it.skipIf(!hasPython)('calls the client with exactly the request of the playground: Python', async () => {
      // A stand-in for the clients, which prints what it is called with.
      const client = `
import json
class Client:
    def __init__(self, base_url, api_key):
        self.chat = self.completions = self.messages = self.responses = self
    def create(self, **body):
        more = body.pop("extra_body", {})
        print(json.dumps({**body, **more}))
        return []
OpenAI = Anthropic = Client
`;
      await using folder = await mkdtempDisposable(join(tmpdir(), 'clients-'));
      for (const name of ['openai', 'anthropic']) await writeFile(join(folder.path, `${name}.py`), client);
      const output = await runCode('python3', ['-'], codeOf(api, 'python'), { PYTHONPATH: folder.path });
      expect(JSON.parse(output)).toEqual(bodyOf(api));
    });
  });
});
