import { parentPort } from 'node:worker_threads';
import {
  countInputBytes,
  findTranslations,
  isObject,
  measurePrompt,
  writeTranslated,
} from '@model-gateway/dialects';
import { toGatewayError } from '@model-gateway/shared';
import { hashStart } from '../affinity/affinity-key.ts';
import type { JsonTask, JsonTaskAnswer } from '../json/json-queue.ts';
import { SCHEMA_BY_NAME } from '../json/request-schemas.ts';
import { validateJson } from '../json/validate-json.ts';

/** Validates and translates large bodies in a thread. */

parentPort?.on('message', (task: JsonTask) => {
  const answer = answerTo(task);
  parentPort?.postMessage(answer, transferables(answer));
});

function answerTo({ chunks, work }: JsonTask): JsonTaskAnswer {
  try {
    if ('schemaName' in work) return { chunks, ...validate(chunks, work.schemaName) };
    return { written: writeTranslated(chunks, findTranslations(work.translations), work.model) };
  } catch (thrown) {
    const { code, message, param } = toGatewayError(thrown);
    return { chunks, refusal: { code, message, param } };
  }
}

function validate(chunks: readonly Uint8Array[], schemaName: string) {
  const schema = SCHEMA_BY_NAME.get(schemaName);
  if (schema === undefined) throw new Error(`there is no schema ${schemaName}`);
  const valid = validateJson(chunks, schema, { countInput: (value) => countInputBytes(schemaName, value) });
  return { ...valid, value: withHashedStart(valid.value), measure: measurePrompt(chunks) };
}

/** Replaces the start of a conversation by its hash, so that it is not copied between threads. */
function withHashedStart(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value.start)) return value;
  return { ...value, start: hashStart(value.start) };
}

function transferables(answer: JsonTaskAnswer): ArrayBuffer[] {
  return 'written' in answer ? [answer.written.json.buffer] : answer.chunks.map(({ buffer }) => buffer);
}
