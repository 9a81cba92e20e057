import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { ResponsesCaller } from '../../interfaces/chat-caller.ts';
import type { JsonTranslator } from '../../interfaces/response-translators.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { JsonNode } from '../../json/outline-json.ts';
import type { OutlinedResponse } from '../../json/outlined-response.ts';
import { withPlainEscapes } from '../../json/plain-escapes.ts';
import { outputTextOf } from './collect-response-output.ts';
import { billedCalls, countHostedCalls } from './count-hosted-calls.ts';
import { countResponsesUsage } from './openai-responses-usage.ts';
import { newMembers, type ResponseIds, replaceResponseIds } from './replace-response-ids.ts';

/** No model writes more. Above, the length is counted instead of the text. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
/** An item type without text. */
const PICTURE = 'image_generation_call';
export const RESPONSE_OUTLINE = { within: 'output', depth: 3 } as const;
const READ = [
  'id',
  'model',
  'previous_response_id',
  'object',
  'service_tier',
  'status',
  'tool_usage',
  'usage',
] as const;

/** Passes a whole response unchanged, except for its ids and model. @param note gets its state */
export function passthroughResponse(
  caller: ResponsesCaller,
  ids: ResponseIds,
  note?: (response: JsonObject) => void,
): JsonTranslator {
  const count = (response: JsonObject, items: readonly unknown[]) => {
    caller.reportTier(response.service_tier);
    const counted = countResponsesUsage(response.usage, billedCalls(response, countHostedCalls(items)));
    if (counted !== undefined) caller.count(counted);
    return counted !== undefined;
  };
  return {
    whole: (value, text) => {
      const answer = requireResponse(value);
      const { output } = answer;
      note?.(answer);
      const isCounted = count(answer, output);
      const passed = caller.passResponse(
        replaceResponseIds(withPlainEscapes(text), answer, ids),
        output.map(outputTextOf),
      );
      return isFree(answer, isCounted) ? { ...passed, usage: undefined } : passed;
    },
    outline: RESPONSE_OUTLINE,
    large: (answer) => {
      const { items, output, read } = outlinedResponse(answer);
      note?.(read);
      count(read, items);
      const edits = Object.fromEntries(newMembers(read, ids));
      return caller.passLarge(answer.edit(edits), outputTextIn(answer, output));
    },
  };
}

export function outlinedResponse(answer: OutlinedResponse): {
  read: JsonObject;
  output: readonly JsonNode[];
  items: readonly JsonObject[];
} {
  const read = Object.fromEntries(READ.map((name) => [name, answer.small(name)]));
  const output = answer.entries('output');
  if (!OBJECTS.has(read.object) || output === undefined) throw notResponse();
  return { read, output, items: output.map((item) => outlinedItem(answer, item)) };
}

const OBJECTS: ReadonlySet<unknown> = new Set(['response', 'response.compaction']);
const MAY_BE_FREE: ReadonlySet<unknown> = new Set(['failed', 'queued', 'cancelled']);

/** A failed response without usage and output is free. A queued one is billed when it finishes. */
function isFree({ output, status }: JsonObject & { output: unknown[] }, isCounted: boolean): boolean {
  return !isCounted && output.length === 0 && MAY_BE_FREE.has(status);
}

/** Reads the members that identify a tool call. */
function outlinedItem(answer: OutlinedResponse, { children }: JsonNode): JsonObject {
  const small = (name: string) => answer.small(name, children);
  return { type: small('type'), action: small('action'), environment: small('environment') };
}

/** @returns the text of the output, or its length if it is large */
export function outputTextIn(answer: OutlinedResponse, items: readonly JsonNode[]): unknown {
  const texts = items.filter(({ children }) => answer.small('type', children) !== PICTURE);
  const bytes = texts.reduce((sum, { end, valueStart }) => sum + end - valueStart, 0);
  return bytes > MAX_OUTPUT_BYTES ? bytes : texts.map((item) => outputTextOf(answer.value(item)));
}

export function requireResponse(value: unknown): JsonObject & { output: unknown[] } {
  if (isResponse(value)) return value;
  throw notResponse();
}

function isResponse(value: unknown): value is JsonObject & { output: unknown[] } {
  return isObject(value) && OBJECTS.has(value.object) && Array.isArray(value.output);
}

export function notResponse(): Error {
  return unexpectedJson(new Error('it is no response'));
}
