import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { simulatedAwsMessage } from '@model-gateway/test-kit';
import { z } from 'zod';

const EVENTS_SUFFIX = '.chunks.txt';

/** An answer as Bedrock really gave it by Converse: whole, or event by event, each under its type. */
export interface RecordedConverse {
  name: string;
  content: { text: string } | { events: readonly [type: string, event: unknown][] };
}

/** What an answer says, read without the gateway. */
export interface SaidByConverse {
  text: string;
  reasoning: string;
  signatures: string[];
  calls: { id: string; name: string; input: unknown }[];
  /** Undefined: the provider has counted nothing. */
  usage: { inputTokens: number; outputTokens: number } | undefined;
}

/**
 * The recorded answers of Converse in the folder `amazon-bedrock` of the one that RECORDED_ANSWERS names.
 * @returns `missing`: why there are none
 */
export function findRecordedConverse(
  environment: NodeJS.ProcessEnv = process.env,
): { answers: RecordedConverse[]; missing?: undefined } | { answers: []; missing: string } {
  const folder = join(environment.RECORDED_ANSWERS ?? '', 'amazon-bedrock');
  if (environment.RECORDED_ANSWERS === undefined || !existsSync(folder))
    return { answers: [], missing: 'RECORDED_ANSWERS has no folder "amazon-bedrock"' };
  const whole = globSync(join(folder, '*.json'))
    .map((file) => ({ name: basename(file), content: { text: readFileSync(file, 'utf8') } }))
    .filter(({ content }) => 'output' in Object(JSON.parse(content.text)));
  const streamed = globSync(join(folder, `*${EVENTS_SUFFIX}`)).map(streamedAnswer);
  return { answers: [...whole, ...streamed].sort((left, right) => (left.name < right.name ? -1 : 1)) };
}

function streamedAnswer(file: string): RecordedConverse {
  const lines = readFileSync(file, 'utf8').split('\n');
  const events = lines
    .filter((line) => line.trim() !== '')
    .flatMap((line) => Object.entries(z.record(z.string(), z.unknown()).parse(JSON.parse(line))));
  return { name: basename(file), content: { events } };
}

const usage = z.object({ inputTokens: z.int(), outputTokens: z.int() });
const toolUse = z.object({ toolUseId: z.string(), name: z.string(), input: z.unknown() });
const block = z.looseObject({
  text: z.string().optional(),
  toolUse: toolUse.optional(),
  reasoningContent: z
    .looseObject({ reasoningText: z.looseObject({ text: z.string(), signature: z.string().optional() }) })
    .optional(),
});
const answer = z.looseObject({
  output: z.looseObject({ message: z.looseObject({ content: z.array(block) }) }),
  usage: usage.optional(),
});
const blockStart = z.looseObject({
  contentBlockIndex: z.int(),
  start: z.looseObject({ toolUse: z.object({ toolUseId: z.string(), name: z.string() }).optional() }),
});
const blockDelta = z.looseObject({
  contentBlockIndex: z.int(),
  delta: z.looseObject({
    text: z.string().optional(),
    toolUse: z.object({ input: z.string() }).optional(),
    reasoningContent: z
      .looseObject({ text: z.string().optional(), signature: z.string().optional() })
      .optional(),
  }),
});

export function saidIn({ content }: RecordedConverse): SaidByConverse {
  return 'text' in content ? saidInWhole(content.text) : saidInEvents(content.events);
}

function saidInWhole(text: string): SaidByConverse {
  const { output, usage: counted } = answer.parse(JSON.parse(text));
  const blocks = output.message.content;
  const thoughts = blocks.flatMap(({ reasoningContent }) => reasoningContent?.reasoningText ?? []);
  return {
    text: blocks.map((one) => one.text ?? '').join(''),
    reasoning: thoughts.map((thought) => thought.text).join(''),
    signatures: thoughts.flatMap(({ signature }) => signature ?? []),
    calls: blocks.flatMap(({ toolUse: call }) =>
      call === undefined ? [] : [{ id: call.toolUseId, name: call.name, input: call.input }],
    ),
    usage: counted,
  };
}

function saidInEvents(events: readonly [type: string, event: unknown][]): SaidByConverse {
  const said: SaidByConverse = { text: '', reasoning: '', signatures: [], calls: [], usage: undefined };
  const inputs = new Map<number, { id: string; name: string; input: string }>();
  for (const [type, event] of events) {
    if (type === 'metadata') said.usage = z.looseObject({ usage }).parse(event).usage;
    if (type === 'contentBlockStart') {
      const { contentBlockIndex, start } = blockStart.parse(event);
      if (start.toolUse === undefined) continue;
      inputs.set(contentBlockIndex, { id: start.toolUse.toolUseId, name: start.toolUse.name, input: '' });
    }
    if (type !== 'contentBlockDelta') continue;
    const { contentBlockIndex, delta } = blockDelta.parse(event);
    said.text += delta.text ?? '';
    said.reasoning += delta.reasoningContent?.text ?? '';
    if (delta.reasoningContent?.signature !== undefined)
      said.signatures.push(delta.reasoningContent.signature);
    const call = inputs.get(contentBlockIndex);
    if (call !== undefined) call.input += delta.toolUse?.input ?? '';
  }
  said.calls = [...inputs.values()].map((call) => ({ ...call, input: JSON.parse(call.input || '{}') }));
  return said;
}

/** An HTTP server that answers every POST with what was recorded. */
export interface ReplayingRuntime extends AsyncDisposable {
  baseUrl: string;
  replay(answer: RecordedConverse): void;
}

export async function startReplayingRuntime(): Promise<ReplayingRuntime> {
  let content: RecordedConverse['content'] | undefined;
  const server = createServer((req, res) => {
    req.resume().on('end', () => {
      if (content === undefined || req.method !== 'POST') return res.writeHead(404).end();
      if ('text' in content)
        return res.writeHead(200, { 'content-type': 'application/json' }).end(content.text);
      res.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
      const bytes = Buffer.concat(
        content.events.map(([type, event]) => simulatedAwsMessage(type, JSON.stringify(event))),
      );
      // Cut anywhere, as a network does.
      for (let start = 0; start < bytes.length; start += 37) res.write(bytes.subarray(start, start + 37));
      return res.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    replay: (next) => {
      ({ content } = next);
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
