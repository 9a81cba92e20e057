import { expect } from 'vitest';
import { z } from 'zod';

const item = z.looseObject({ id: z.string().min(1), type: z.string(), status: z.string().optional() });
const response = z.looseObject({
  id: z.string().regex(/^resp_/),
  model: z.string(),
  status: z.string(),
  output: z.array(item),
});
const event = z.looseObject({
  type: z.string(),
  sequence_number: z.int().min(0),
  response: response.optional(),
  item: item.optional(),
  item_id: z.string().optional(),
  output_index: z.int().min(0).optional(),
  content_index: z.int().min(0).optional(),
  summary_index: z.int().min(0).optional(),
  delta: z.string().optional(),
});
type StreamEvent = z.infer<typeof event>;
export type StreamedResponse = z.infer<typeof response>;

const ENDS: Readonly<Record<string, string>> = {
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
};
/** Where the event that ends a text has the whole of it. */
const WHOLE_TEXTS: Readonly<Record<string, string>> = {
  'response.output_text.done': 'text',
  'response.refusal.done': 'refusal',
  'response.reasoning_summary_text.done': 'text',
  'response.function_call_arguments.done': 'arguments',
  'response.custom_tool_call_input.done': 'input',
};

/**
 * Reads a stream of POST /v1/responses as a strict client does: numbered events between one start and one
 * end, items and parts that are added before anything is said of them, deltas that make up what is said to be
 * whole, and an end that repeats the items.
 * @returns the response of the last event
 */
export function finalResponseOf(values: readonly unknown[]): StreamedResponse {
  const events = values.map((value) => event.parse(value));
  expect(events.map(({ sequence_number: number }) => number)).toEqual([...events.keys()]);
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress']);
  const last = events.at(-1);
  const ends = events.filter(({ type }) => type in ENDS);
  expect(ends).toEqual([last]);
  const snapshots = events.flatMap(({ response: found }) => found ?? []);
  expect(new Set(snapshots.map(({ id, model }) => `${id} ${model}`)).size).toBe(1);
  const done = readItems(events);
  const final = last?.response;
  if (last === undefined || final === undefined) throw new Error('the last event has no response');
  expect(final.status).toBe(ENDS[last.type]);
  if (final.status === 'completed') expect(final.output).toEqual(done);
  return final;
}

/** @returns the items that were ended, in the order of their places */
function readItems(events: readonly StreamEvent[]): unknown[] {
  const added = new Map<number, { id: string; type: string }>();
  const done: unknown[] = [];
  const texts = new Map<string, string>();
  for (const found of events) {
    const { output_index: index, type } = found;
    if (index === undefined) continue;
    if (type === 'response.output_item.added') {
      expect(index, 'items are added in order').toBe(added.size);
      const { id, type: kind } = item.parse(found.item);
      expect([...added.values()].map((one) => one.id)).not.toContain(id);
      added.set(index, { id, type: kind });
    } else if (type === 'response.output_item.done') {
      expect(found.item).toMatchObject(added.get(index) ?? { id: 'of an item that was added' });
      done[index] = found.item;
    } else {
      expect(found.item_id, type).toBe(added.get(index)?.id);
      expect(done[index], `${type} after the end of its item`).toBeUndefined();
      readText(found, texts);
    }
  }
  return done;
}

/** @param texts what deltas have said so far, by the place that they belong to */
function readText(found: StreamEvent, texts: Map<string, string>): void {
  const { content_index: content, delta, output_index: index, summary_index: summary, type } = found;
  const place = `${index} ${content} ${summary} ${type.replace(/\.\w+$/, '')}`;
  if (delta !== undefined) texts.set(place, `${texts.get(place) ?? ''}${delta}`);
  const whole = WHOLE_TEXTS[type];
  if (whole !== undefined) expect(found[whole], type).toBe(texts.get(place) ?? '');
}
