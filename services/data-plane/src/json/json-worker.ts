import { parentPort } from 'node:worker_threads';
import { toGatewayError } from '@model-gateway/shared';
import { inputBytesOf } from '../metering/input-bytes.ts';
import type { JsonTask, JsonTaskAnswer } from './json-task.ts';
import { SCHEMA_BY_NAME } from './request-schemas.ts';
import { understandJson } from './understand-json.ts';

/** The thread that reads large bodies. However long that takes, no other request waits for it. */

parentPort?.on('message', (task: JsonTask) => {
  const { answer, handedOver } = answerTo(task);
  parentPort?.postMessage(answer, handedOver);
});

function answerTo({ schemaName, chunks }: JsonTask): { answer: JsonTaskAnswer; handedOver: ArrayBuffer[] } {
  const bytes = chunks.map(({ buffer }) => buffer);
  try {
    const schema = SCHEMA_BY_NAME.get(schemaName);
    if (schema === undefined) throw new Error(`there is no schema ${schemaName}`);
    const countInput = (value: unknown) => inputBytesOf(schemaName, value);
    return { answer: { chunks, ...understandJson(chunks, schema, { countInput }) }, handedOver: bytes };
  } catch (thrown) {
    const { code, message, param } = toGatewayError(thrown);
    return { answer: { chunks, refusal: { code, message, param } }, handedOver: bytes };
  }
}
