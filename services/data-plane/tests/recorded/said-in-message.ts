import { z } from 'zod';
import type { RecordedAnswer } from './recorded-answers.ts';

/** The content of a message without Anthropic's own tools and special blocks. */
export interface SaidInMessage {
  text: string;
  reasoning: string;
  signatures: string[];
  calls: { id: string; name: string; input: unknown }[];
}

const block = z.looseObject({ type: z.string() });
const text = z.object({ type: z.literal('text'), text: z.string() });
const thinking = z.object({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().optional(),
});
const toolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
});

export function saidIn({ content }: RecordedAnswer): SaidInMessage {
  const blocks =
    'text' in content
      ? z.object({ content: z.array(block) }).parse(JSON.parse(content.text)).content
      : assembled(content.events);
  const texts = blocks.flatMap((one) => text.safeParse(one).data ?? []);
  const thoughts = blocks.flatMap((one) => thinking.safeParse(one).data ?? []);
  return {
    text: texts.map((one) => one.text).join(''),
    reasoning: thoughts.map((one) => one.thinking).join(''),
    signatures: thoughts.flatMap(({ signature }) => signature || []),
    calls: blocks
      .flatMap((one) => toolUse.safeParse(one).data ?? [])
      .map(({ id, name, input }) => ({ id, name, input })),
  };
}

const start = z.object({
  type: z.literal('content_block_start'),
  index: z.int(),
  content_block: z.looseObject({ type: z.string() }),
});
const delta = z.object({
  type: z.literal('content_block_delta'),
  index: z.int(),
  delta: z.looseObject({
    text: z.string().optional(),
    thinking: z.string().optional(),
    signature: z.string().optional(),
    partial_json: z.string().optional(),
  }),
});

/** Puts the blocks of a stream together. */
function assembled(events: readonly string[]): z.infer<typeof block>[] {
  const blocks = new Map<number, Record<string, unknown> & { type: string }>();
  const inputs = new Map<number, string>();
  for (const data of events) {
    const event: unknown = JSON.parse(data);
    const opened = start.safeParse(event).data;
    if (opened !== undefined) blocks.set(opened.index, { ...opened.content_block });
    const added = delta.safeParse(event).data;
    const into = added === undefined ? undefined : blocks.get(added.index);
    if (added === undefined || into === undefined) continue;
    for (const name of ['text', 'thinking', 'signature'] as const) {
      const piece = added.delta[name];
      if (piece !== undefined) into[name] = `${into[name] ?? ''}${piece}`;
    }
    inputs.set(added.index, (inputs.get(added.index) ?? '') + (added.delta.partial_json ?? ''));
  }
  return [...blocks].map(([index, one]) => {
    const input = inputs.get(index) ?? '';
    return input === '' ? one : { ...one, input: JSON.parse(input) };
  });
}
