import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startGateway, type TestGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_VARIABLE, recipes } from '../web/src/pages/first-request/recipes.ts';

const run = promisify(execFile);
/** Where the clients are installed. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

describe('the code on the page “First request”', () => {
  let gateway: TestGateway;
  let environment: NodeJS.ProcessEnv;
  let codeOf: (id: string) => string;

  beforeAll(async () => {
    gateway = await startGateway();
    const { rawKey } = await gateway.createKey();
    environment = { ...process.env, [KEY_VARIABLE]: rawKey };
    const all = recipes({ baseUrl: `${gateway.baseUrl}/v1`, model: 'sim/chat-free' });
    codeOf = (id) => all.find((recipe) => recipe.id === id)?.code ?? '';
  });
  afterAll(() => gateway?.close());

  it.each(['typescript', 'ai-sdk', 'langchain'])('runs as pasted: %s', async (id) => {
    const program = ['--input-type=module', '--eval', codeOf(id)];
    const { stdout } = await run(process.execPath, program, { cwd: ROOT, env: environment });
    expect(stdout).toMatch(/\w+/);
  });

  it('runs as pasted: curl, and the variables of other tools', async () => {
    const { stdout } = await run('sh', ['-c', codeOf('curl')], { env: environment });
    expect(JSON.parse(stdout)).toMatchObject({ object: 'chat.completion', model: 'sim/chat-free' });
    const models = `${codeOf('variables')}\ncurl -s "$OPENAI_BASE_URL/usage" -H "Authorization: Bearer $OPENAI_API_KEY"`;
    const { stdout: usage } = await run('sh', ['-c', models], { env: environment });
    expect(JSON.parse(usage)).toMatchObject({ object: 'usage.summary' });
  });

  it('runs as pasted: the variables of Claude Code', async () => {
    // A stand-in that sends a chat with the same variables as the program.
    const claude = String.raw`claude() {
      curl -s "$ANTHROPIC_BASE_URL/v1/messages?beta=true" -H "Authorization: Bearer $ANTHROPIC_AUTH_TOKEN" \
        -H "x-api-key: ${'$'}{ANTHROPIC_API_KEY-$ANTHROPIC_AUTH_TOKEN}" -H 'Content-Type: application/json' \
        -d "{\"model\":\"$ANTHROPIC_MODEL\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"$2\"}]}"
    }`;
    const env = { ...environment, ANTHROPIC_API_KEY: 'sk-ant-of-another' };
    const { stdout } = await run('sh', ['-c', `${claude}\n${codeOf('claude-code')}`], { env });
    expect(JSON.parse(stdout)).toMatchObject({ type: 'message', model: 'sim/chat-free' });
  });

  it('contains the base URL, the model and the variable of the key: Python', () => {
    expect(codeOf('python')).toContain(
      `base_url="${gateway.baseUrl}/v1", api_key=os.environ["${KEY_VARIABLE}"]`,
    );
    expect(codeOf('python')).toContain('model="sim/chat-free"');
  });
});
