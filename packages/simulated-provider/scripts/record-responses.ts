import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EventStreamCodec } from '@smithy/core/event-streams';
import { expectedSignature } from '../src/protocols/aws-signature.ts';
import { simulatedAwsSecret } from '../src/protocols/bedrock.ts';
import { startSimulatedProvider } from '../src/start-simulated-provider.ts';
import { RECORDED_APIS } from './recorded-requests.ts';

/**
 * Records responses of the simulated providers for the tests that replay such (`npm run record-responses`):
 * `*.json` is a whole response, `*.chunks.txt` the JSON of one stream event a line, without its framing.
 */

const FOLDER = join(import.meta.dirname, '../recorded');
const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);

/** Returns the JSON of each event of a stream, one a line. */
async function eventLines(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('application/vnd.amazon.eventstream')) {
    const events = [...(await response.text()).matchAll(/^data: ?(\{.*)$/gm)];
    return events.map(([, data]) => `${data?.trimEnd()}\n`).join('');
  }
  const bytes = Buffer.from(await response.arrayBuffer());
  let lines = '';
  for (let start = 0; start < bytes.length; ) {
    const length = bytes.readUInt32BE(start);
    const { headers, body } = codec.decode(bytes.subarray(start, start + length));
    lines += `{"${headers[':event-type']?.value}":${Buffer.from(body)}}\n`;
    start += length;
  }
  return lines;
}

/** Returns the headers of a request to the agents' runtime of Bedrock, which takes no API keys. */
function signed(origin: string, url: string, body: object): Record<string, string> {
  const now = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const signature = {
    accessKeyId: 'AKIDRECORDER',
    date: now.slice(0, 8),
    region: 'us-west-2',
    service: 'bedrock',
    signedHeaders: ['content-type', 'host', 'x-amz-date'],
    signature: '',
  };
  const headers = { 'content-type': 'application/json', 'x-amz-date': now };
  const { accessKeyId, date, region, service, signedHeaders } = signature;
  const hex = expectedSignature(
    {
      method: 'POST',
      url,
      headers: { ...headers, host: new URL(origin).host },
      body: Buffer.from(JSON.stringify(body)),
    },
    signature,
    simulatedAwsSecret(accessKeyId),
  );
  const scope = `${accessKeyId}/${date}/${region}/${service}/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${signedHeaders.join(';')}, Signature=${hex}`;
  return { ...headers, authorization };
}

async function recordAll(): Promise<void> {
  await using provider = await startSimulatedProvider({ tokenDelayMs: 0 });
  const { origin } = new URL(provider.baseUrl);
  const send = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const write = async (name: string, text: string) => {
    await mkdir(dirname(join(FOLDER, name)), { recursive: true });
    await writeFile(join(FOLDER, name), text);
  };
  await rm(FOLDER, { recursive: true, force: true });
  for (const { bodies, folder, headers, path, stream = {}, wholeOnly = {} } of RECORDED_APIS) {
    for (const isStreamed of [false, true]) {
      // Else the second round would read what the first one has written to the prompt cache.
      provider.clear();
      for (const [name, body] of Object.entries(bodies)) {
        const response = isStreamed
          ? await send(path.streamed, { ...body, ...stream }, headers)
          : await send(path.whole, body, headers);
        if (response.status !== 200) throw new Error(`${folder}/${name}: ${await response.text()}`);
        if (isStreamed) await write(`${folder}/${name}.chunks.txt`, await eventLines(response));
        else await write(`${folder}/${name}.json`, await response.text());
      }
    }
    for (const [name, { body, path: at, sign, status = 200 }] of Object.entries(wholeOnly)) {
      const response = await send(at, body, sign ? signed(origin, at, body) : headers);
      const text = await response.text();
      if (response.status !== status) throw new Error(`${folder}/${name}: ${text}`);
      await write(`${folder}/${name}.json`, text);
    }
  }
}

await recordAll();
