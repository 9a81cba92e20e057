import type { ServerResponse } from 'node:http';
import type { CatalogDocumentInput } from '@model-gateway/shared';
import { simulatedAwsMessage } from '@model-gateway/test-kit';
import { z } from 'zod';
import type { ReceivedRequest } from '../providers/scripted-provider.ts';
import type { Recording } from './read-recordings.ts';

/** The content of a recorded response, read without the gateway. */
export interface RecordedContent {
  text: string;
  thoughts: string;
  signatures: string[];
  /** Without the members that the provider does not write in one piece, or not at all. */
  calls: { id?: string; name: string; input?: unknown }[];
  /** Undefined: the provider has counted nothing. */
  usage: { input: number; cached: number; output: number } | undefined;
}

/** A kind of provider whose recorded chats are replayed to callers of every API. */
export interface RecordedProvider {
  /** Its folder in RECORDED_ANSWERS. */
  folder: string;
  /** Its entry in the catalog without `id` and `name`. */
  provider(origin: string): Omit<CatalogDocumentInput['providers'][number], 'id' | 'name'>;
  upstreamModel: string;
  isChat(recording: Recording): boolean;
  saidIn(recording: Recording): RecordedContent;
  write(res: ServerResponse, recording: Recording, request: ReceivedRequest): void;
  /** The number of events that follow the last output event of a stream. */
  eventsOfEnd: number;
}

const text = z.string().optional();
const parsed = <Schema extends z.ZodType>(schema: Schema, { pieces }: Recording): z.output<Schema>[] =>
  pieces.map((piece) => schema.parse(JSON.parse(piece)));
const has = (member: string, { pieces }: Recording) =>
  member in z.looseObject({}).parse(JSON.parse(pieces[0] ?? ''));

// Gemini, at Google's own API and at Vertex AI.

const tokens = z.int().default(0);
const geminiPiece = z.looseObject({
  candidates: z
    .array(
      z.looseObject({
        content: z.looseObject({
          parts: z
            .array(
              z.looseObject({
                text,
                thought: z.boolean().default(false),
                thoughtSignature: text,
                functionCall: z.looseObject({ name: text, args: z.unknown().optional() }).optional(),
              }),
            )
            .default([]),
        }),
      }),
    )
    .default([]),
  usageMetadata: z
    .looseObject({
      promptTokenCount: tokens,
      cachedContentTokenCount: tokens,
      toolUsePromptTokenCount: tokens,
      candidatesTokenCount: tokens,
      thoughtsTokenCount: tokens,
    })
    .optional(),
});

function saidByGemini(recording: Recording): RecordedContent {
  const pieces = parsed(geminiPiece, recording);
  const parts = pieces.flatMap(({ candidates }) => candidates.flatMap(({ content }) => content.parts));
  const counted = pieces.findLast(({ usageMetadata }) => usageMetadata !== undefined)?.usageMetadata;
  const joined = (isThought: boolean) =>
    parts.map((part) => (part.thought === isThought ? (part.text ?? '') : '')).join('');
  return {
    text: joined(false),
    thoughts: joined(true),
    signatures: parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []),
    // The test of the translator puts together what comes in pieces.
    calls: parts.flatMap(({ functionCall: { args, name } = {} }) =>
      name === undefined ? [] : { name, ...(args === undefined ? {} : { input: args }) },
    ),
    usage: counted && {
      input: counted.promptTokenCount + counted.toolUsePromptTokenCount,
      cached: counted.cachedContentTokenCount,
      output: counted.candidatesTokenCount + counted.thoughtsTokenCount,
    },
  };
}

const gemini: Omit<RecordedProvider, 'provider'> = {
  folder: 'google',
  upstreamModel: 'gemini-3-pro-preview',
  isChat: (recording) => !has('error', recording),
  saidIn: saidByGemini,
  eventsOfEnd: 1,
  write: (res, recording) => {
    if (!recording.isStreamed) return writeWhole(res, recording, has('error', recording) ? 429 : 200);
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(recording.pieces.map((data) => `data: ${data}\r\n\r\n`).join(''));
  },
};

// Bedrock by Converse. Each line of a stream has the type of its event as its one member.

const converseUsage = z.object({ inputTokens: z.int(), outputTokens: z.int() });
const converseBlock = z.looseObject({
  text,
  toolUse: z.looseObject({ toolUseId: text, name: text, input: z.unknown().optional() }).optional(),
  reasoningContent: z
    .looseObject({
      reasoningText: z.looseObject({ text, signature: text }).optional(),
      text,
      signature: text,
    })
    .optional(),
});
const converse = z.looseObject({
  output: z.looseObject({ message: z.looseObject({ content: z.array(converseBlock) }) }).optional(),
  usage: converseUsage.optional(),
  contentBlockStart: z.looseObject({ start: converseBlock }).optional(),
  contentBlockDelta: z.looseObject({ delta: converseBlock }).optional(),
  metadata: z.looseObject({ usage: converseUsage }).optional(),
});

function saidByConverse(recording: Recording): RecordedContent {
  const pieces = parsed(converse, recording);
  const blocks = pieces.flatMap<z.infer<typeof converseBlock>>(
    (one) =>
      one.output?.message.content ?? one.contentBlockStart?.start ?? one.contentBlockDelta?.delta ?? [],
  );
  const thoughts = blocks.flatMap<{ text?: string | undefined; signature?: string | undefined }>(
    ({ reasoningContent: one }) => one?.reasoningText ?? one ?? [],
  );
  const calls: { id: string; name: string; input: unknown }[] = [];
  for (const { toolUse } of blocks) {
    const { input, name, toolUseId } = toolUse ?? {};
    if (toolUseId !== undefined) calls.push({ id: toolUseId, name: name ?? '', input: input ?? '' });
    else if (typeof input === 'string')
      Object.assign(calls.at(-1) ?? {}, { input: `${calls.at(-1)?.input}${input}` });
  }
  const usage = pieces.map((one) => one.usage ?? one.metadata?.usage).findLast((one) => one !== undefined);
  return {
    text: blocks.map((block) => block.text ?? '').join(''),
    thoughts: thoughts.map((thought) => thought.text ?? '').join(''),
    signatures: thoughts.flatMap(({ signature }) => signature ?? []),
    calls: calls.map(({ input, ...call }) => ({
      ...call,
      input: typeof input === 'string' ? JSON.parse(input || '{}') : input,
    })),
    usage: usage && { input: usage.inputTokens, cached: 0, output: usage.outputTokens },
  };
}

const event = z.record(z.string(), z.unknown());

// Cohere.

const words = z.looseObject({ text, thinking: text });
const call = z.looseObject({ id: text, function: z.looseObject({ name: text, arguments: text }) });
const message = z.looseObject({
  content: z.union([z.array(words), words]).optional(),
  tool_plan: text,
  tool_calls: z.union([z.array(call), call]).optional(),
});
const billed = z.looseObject({ billed_units: z.object({ input_tokens: z.int(), output_tokens: z.int() }) });
const coherePiece = z.looseObject({
  type: text,
  message: message.optional(),
  delta: z.looseObject({ message: message.optional(), usage: billed.optional() }).optional(),
  usage: billed.optional(),
});

function saidByCohere(recording: Recording): RecordedContent {
  const pieces = parsed(coherePiece, recording);
  const messages = pieces.flatMap<z.infer<typeof message>>((one) => one.message ?? one.delta?.message ?? []);
  const calls: { id: string; name: string; input: string }[] = [];
  for (const { function: called, id } of messages.flatMap<z.infer<typeof call>>(
    (one) => one.tool_calls ?? [],
  )) {
    if (id !== undefined) calls.push({ id, name: called.name ?? '', input: '' });
    const last = calls.at(-1);
    if (last !== undefined) last.input += called.arguments ?? '';
  }
  const content = messages.flatMap<z.infer<typeof words>>((one) => one.content ?? []);
  const usage = pieces.map((one) => one.usage ?? one.delta?.usage).findLast((one) => one !== undefined);
  const plans = messages.map(({ tool_plan }) => tool_plan ?? '');
  return {
    text: [...plans, ...content.map((one) => one.text ?? '')].join(''),
    thoughts: content.map(({ thinking }) => thinking ?? '').join(''),
    signatures: [],
    calls: calls.map((one) => ({ ...one, input: JSON.parse(one.input || '{}') ?? {} })),
    usage: usage && {
      input: usage.billed_units.input_tokens,
      cached: 0,
      output: usage.billed_units.output_tokens,
    },
  };
}

export const RECORDED_PROVIDERS: Readonly<Record<string, RecordedProvider>> = {
  Gemini: {
    ...gemini,
    provider: (origin) => ({
      kind: 'gemini',
      base_url: `${origin}/v1beta`,
      credential_env: 'SIMULATED_API_KEY',
    }),
  },
  Vertex: {
    ...gemini,
    provider: (origin) => ({
      kind: 'vertex',
      base_url: `${origin}/v1/projects/-/locations/global`,
      credential_env: 'SIMULATED_SERVICE_ACCOUNT',
    }),
  },
  Bedrock: {
    folder: 'amazon-bedrock',
    upstreamModel: 'amazon.nova-2-sim-v1:0',
    provider: (base_url) => ({
      kind: 'bedrock',
      region: 'us-west-2',
      base_url,
      credential_env: 'SIMULATED_API_KEY',
    }),
    isChat: (recording) => recording.isStreamed || has('output', recording),
    saidIn: saidByConverse,
    // `messageStop`, and `metadata` with the usage.
    eventsOfEnd: 2,
    write: (res, recording) => {
      if (!recording.isStreamed) return writeWhole(res, recording);
      res.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
      const events = parsed(event, recording).flatMap((one) => Object.entries(one));
      const bytes = Buffer.concat(
        events.map(([type, data]) => simulatedAwsMessage(type, JSON.stringify(data))),
      );
      // Cut anywhere, as a network does.
      for (let start = 0; start < bytes.length; start += 37) res.write(bytes.subarray(start, start + 37));
      res.end();
    },
  },
  Cohere: {
    folder: 'cohere',
    upstreamModel: 'recorded',
    provider: (base_url) => ({ kind: 'cohere', base_url, credential_env: 'SIMULATED_API_KEY' }),
    isChat: (recording) => recording.isStreamed || has('message', recording),
    saidIn: saidByCohere,
    eventsOfEnd: 1,
    write: (res, recording) => {
      if (!recording.isStreamed) return writeWhole(res, recording);
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const types = parsed(coherePiece, recording).map(({ type }) => type);
      const events = recording.pieces.map((data, index) => `event: ${types[index]}\ndata: ${data}\n\n`);
      res.end(`${events.join('')}data: [DONE]\n\n`);
    },
  },
};

function writeWhole(res: ServerResponse, { pieces }: Recording, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(pieces[0]);
}
