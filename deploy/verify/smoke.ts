import OpenAI, { toFile } from 'openai';
import { z } from 'zod';
import type { Account } from './account.ts';
import type { Check } from './report.ts';

const MESSAGES = [{ role: 'user' as const, content: 'What is a gateway?' }];
const ONE_SECOND = { sampleRate: 8_000, bytes: 16_000 };
const status = z.object({ status: z.object({ description: z.string() }), components: z.array(z.unknown()) });
const usage = z.object({ totals: z.object({ requests: z.number(), cost_usd: z.string() }) });

type Attempt = (what: string, work: () => Promise<string>) => Promise<void>;

/** Uses every kind of endpoint once, with the OpenAI SDK. */
export async function smoke(baseUrl: string, { key }: Account, check: Check): Promise<void> {
  const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key, maxRetries: 0 });
  const attempt = attempts(check);

  await attempt('chat', async () => {
    const answer = await client.chat.completions.create({ model: 'simulated/chat-pro', messages: MESSAGES });
    return `${answer.usage?.completion_tokens} tokens`;
  });
  await attempt('chat, streamed', async () => {
    const stream = await client.chat.completions.create({
      model: 'simulated/chat-free',
      messages: MESSAGES,
      stream: true,
    });
    const arrivals: number[] = [];
    for await (const _chunk of stream) arrivals.push(performance.now());
    const spreadMs = Math.round((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0));
    // The provider sends chunks 30 ms apart; a buffering proxy would deliver them together.
    if (spreadMs < arrivals.length * 15) throw new Error(`${arrivals.length} chunks within ${spreadMs} ms`);
    return `${arrivals.length} chunks over ${spreadMs} ms`;
  });
  await attempt('embeddings', async () => {
    const { data } = await client.embeddings.create({ model: 'simulated/embed-pro', input: ['one', 'two'] });
    return `${data.length} vectors of ${data[0]?.embedding.length}`;
  });
  await attempt('transcription of an upload', async () => {
    const file = await toFile(silence(), 'silence.wav', { type: 'audio/wav' });
    const answer = await client.audio.transcriptions.create({ model: 'simulated/transcribe-pro', file });
    return `${answer.text.length} characters`;
  });
  await attempt('upload just below the cap', async () => {
    const file = await toFile(silence(24 * 1024 * 1024), 'long.wav', { type: 'audio/wav' });
    const answer = await client.audio.transcriptions.create({ model: 'simulated/transcribe-free', file });
    return `24 MiB, ${answer.text.length} characters`;
  });
  for (const mebibytes of [25.5, 40]) {
    await attempt(`upload of ${mebibytes} MiB`, async () => {
      const file = await toFile(silence(mebibytes * 1024 * 1024), 'long.wav', { type: 'audio/wav' });
      const error = await client.audio.transcriptions
        .create({ model: 'simulated/transcribe-free', file })
        .catch((thrown: unknown) => thrown);
      if (!(error instanceof OpenAI.APIError) || error.code !== 'request_too_large') throw error;
      return `${error.status} ${error.code}`;
    });
  }
  await attempt('models', async () => {
    const anonymous = await fetch(`${baseUrl}/v1/models`);
    const { data } = await client.models.list();
    if (!anonymous.ok) throw new Error(`without a key: ${anonymous.status}`);
    return `${data.length} models, with a key and without`;
  });
  await attempt('status', async () => {
    const { components, ...answer } = status.parse(await (await fetch(`${baseUrl}/v1/status`)).json());
    return `${components.length} components, ${answer.status.description}`;
  });
  await attempt('documentation', async () => {
    const paths = ['/docs', '/docs/guide', '/docs/guide/install.html', '/docs/guide/llms.txt'];
    const answers = await Promise.all(paths.map((path) => fetch(baseUrl + path)));
    if (!answers.every(({ ok }) => ok)) throw new Error(answers.map(({ status }) => status).join(', '));
    return paths.join(', ');
  });
  await attempt('usage', async () => {
    const { totals } = usage.parse(await client.get('/usage'));
    return `${totals.requests} requests, ${totals.cost_usd} USD`;
  });
  await attempt('a wrong key', async () => {
    const stranger = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: 'nonsense', maxRetries: 0 });
    const error = await stranger.models.list().catch((thrown: unknown) => thrown);
    if (!(error instanceof OpenAI.AuthenticationError)) throw error;
    return `${error.status} ${error.code}`;
  });
  await attempt('hostile requests', async () => {
    const answers = await Promise.all([
      fetch(`${baseUrl}/%zz`),
      fetch(`${baseUrl}/v1/models`, { headers: { 'x-large': 'a'.repeat(33 * 1024) } }),
      fetch(`${baseUrl}/v1/models`, { method: 'PUT' }),
    ]);
    const codes = [];
    for (const answer of answers) {
      const id = answer.headers.get('x-request-id') ?? 'no id';
      const body = z
        .object({ error: z.object({ code: z.string(), request_id: z.literal(id) }) })
        .parse(await answer.json());
      codes.push(`${answer.status} ${body.error.code}`);
    }
    return codes.join(', ');
  });
}

/** Tries to forge the client address through the load balancer. */
export async function smokeClientAddress(baseUrl: string, check: Check): Promise<void> {
  await attempts(check)('a forged client address', async () => {
    // If the header counted, each address would have its own limit.
    const remaining = async (address: string) => {
      const response = await fetch(`${baseUrl}/v1/status`, { headers: { 'x-forwarded-for': address } });
      return Number(response.headers.get('x-ratelimit-remaining-requests'));
    };
    const [one, two] = [await remaining('192.0.2.1'), await remaining('192.0.2.2')];
    if (two !== one - 1) throw new Error(`${one} left, then ${two}`);
    return `${one} left, then ${two}`;
  });
}

/** Returns a function that runs a step and reports whether it failed. */
export function attempts(check: Check): Attempt {
  return async (what, work) => {
    try {
      check(`smoke: ${what}`, true, await work());
    } catch (error) {
      check(`smoke: ${what}`, false, error instanceof Error ? error.message : String(error));
    }
  };
}

/** Returns a WAV file of silence; default: one second. */
function silence(bytes = ONE_SECOND.bytes): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + bytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(ONE_SECOND.sampleRate, 24);
  header.writeUInt32LE(ONE_SECOND.sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(bytes, 40);
  return Buffer.concat([header, Buffer.alloc(bytes)]);
}
