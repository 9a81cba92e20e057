import { readdirSync, readFileSync } from 'node:fs';
import { gatewayProto, type SettleBatch } from '@model-gateway/contracts';
import { perUnit } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { SettleBatchMessage } from './settle-batch-message.ts';
import type { SettledAttempt, SettledPart, SettledRequest } from './settled-request.ts';

const PROTO_FOLDER = new URL('../../../../proto/gateway/v1/', import.meta.url);
let next = 1;
const units = () => perUnit('unit', () => next++);
const part: Required<SettledPart> = { modelId: 'acme/small', priceVersion: 4, units: units() };
const attempt: Required<SettledAttempt> = {
  providerId: 'acme',
  modelId: 'acme/small',
  outcome: 'failed',
  latencyMs: 12.25,
  timeToFirstTokenMs: 3.5,
  endedAtMs: 1_790_000_000_000.75,
  httpStatus: 503,
  errorCode: 'upstream_error',
  silentMs: 0.125,
  streamed: true,
  credentialEnv: 'ACME_API_KEY',
  error: 'answered 503: overloaded',
  operatorError: 'ключ · 🔑 · '.repeat(100),
  estimatedUnits: units(),
  estimatedCost: 10 ** 15,
  providerRequestId: 'chatcmpl-1',
};
/** A request with every field. */
const full: Required<SettledRequest> = {
  requestId: 'req_1',
  modelId: 'acme/large',
  capability: 'chat',
  owner: { accountId: 'acct_1', seatId: 'seat_1', teamId: 'team_1' },
  keyId: 'key_1',
  priceVersion: 3,
  priceListVersion: 7,
  serviceTier: 'flex',
  units: units(),
  parts: [part, { ...part, units: units() }],
  usageSource: 'provider',
  billingReason: 'aborted_partial',
  held: 2n ** 64n - 1n,
  allowanceId: 'b0c1d2e3-0000-4000-8000-000000000000',
  clientStatus: 499,
  clientErrorCode: 'upstream_error',
  tags: { team: 'a', 'длинное имя': '🔑'.repeat(40), empty: '' },
  endUser: 'user@example.com',
  session: 's'.repeat(128),
  affinity: 'session',
  budgets: ['budget_1/day', 'budget_2/month/user@example.com'],
  endedAtMs: 1_790_000_000_001.25,
  isClamped: true,
  followed: JSON.stringify({ response: 'x'.repeat(50_000) }),
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  attempts: [attempt, { ...attempt, errorCode: '' }],
};
/** A request with the fewest fields. */
const least: SettledRequest = {
  requestId: '',
  modelId: 'm',
  capability: 'chat',
  owner: { accountId: 'a' },
  keyId: 'k',
  usageSource: '',
  billingReason: 'completed',
  held: 0n,
  endedAtMs: 0,
  attempts: [],
};

const { requestDeserialize, requestSerialize } = gatewayProto.BillingService.service.SettleUsage;

function encoded(fill: (message: SettleBatchMessage) => void) {
  const message = new SettleBatchMessage();
  fill(message);
  return { id: message.id, batch: requestDeserialize(message.bytes) };
}

/** Converts a record to the form that protobufjs encodes. */
function messageOf(record: SettledRequest): NonNullable<SettleBatch['records']>[number] {
  return JSON.parse(JSON.stringify({ ...record, held: String(record.held) }));
}

const proto = readdirSync(PROTO_FOLDER)
  .map((file) => readFileSync(new URL(file, PROTO_FOLDER), 'utf8'))
  .join('\n');

/** Reads the names of a message's fields from the protocol, as the JavaScript object has them. */
function fieldsOf(message: string): string[] {
  const [, body = ''] = new RegExp(`^message ${message} \\{$(.*?)^\\}$`, 'ms').exec(proto) ?? [];
  const names = [...body.matchAll(/ (\w+) = \d+;/g)].map(([, name = '']) => name);
  expect(names).not.toEqual([]);
  return names.map((name) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
}
const isSet = (value: unknown) => !['', '0', 0, false, null, undefined].some((empty) => value === empty);
const setFieldsOf = (value: object | null | undefined) =>
  Object.entries(value ?? {}).flatMap(([name, field]) => (isSet(field) ? [name] : []));

describe('an encoded settlement batch', () => {
  it.each([
    { name: 'every field', record: full },
    { name: 'the fewest fields', record: least },
    { name: 'zeros', record: { ...full, units: perUnit('unit', () => 0), priceVersion: 0, clientStatus: 0 } },
    { name: 'large counts', record: { ...full, units: perUnit('unit', () => Number.MAX_SAFE_INTEGER) } },
    ...[0x7fn, 0x80n, 2n ** 32n, 2n ** 53n].map((held) => ({
      name: `${held} held`,
      record: { ...full, held },
    })),
  ])('has what protobufjs encodes, for a record with $name', ({ record }) => {
    const { batch, id } = encoded((message) => {
      message.addRecord(record);
      message.addCheckpoint(record);
      message.addRecord({ ...record, requestId: 'req_2' });
    });
    const sent = [messageOf(record), messageOf({ ...record, requestId: 'req_2' })];
    const expected = { batchId: id, records: sent, checkpoints: sent.slice(0, 1) };
    expect(batch).toEqual(requestDeserialize(requestSerialize(expected)));
  });

  it('has every field of the protocol', () => {
    const { batch } = encoded((message) => {
      message.addRecord(full);
      message.addCheckpoint(full);
    });
    const [record] = batch.records;
    expect(setFieldsOf(batch)).toEqual(expect.arrayContaining(fieldsOf('SettleBatch')));
    expect(setFieldsOf(record)).toEqual(expect.arrayContaining(fieldsOf('SettledRequest')));
    for (const [message, value] of [
      ['SettledAttempt', record?.attempts[0]],
      ['SettledPart', record?.parts[0]],
      ['KeyOwner', record?.owner],
      ['Units', record?.units],
    ] as const)
      expect(setFieldsOf(value)).toEqual(expect.arrayContaining(fieldsOf(message)));
  });

  it('has no part of a record that cannot be encoded', () => {
    const { batch } = encoded((message) => {
      message.addRecord(least);
      expect(() => message.addRecord({ ...full, endedAtMs: 2 ** 65 })).toThrow();
      message.addRecord({ ...least, requestId: 'req_2' });
    });
    expect(batch.records.map(({ requestId }) => requestId)).toEqual(['', 'req_2']);
  });

  it('is not changed by records that are added later', () => {
    const message = new SettleBatchMessage();
    message.addRecord(least);
    const { bytes } = message;
    const before = Buffer.from(bytes);
    for (let count = 0; count < 20; count++) message.addRecord(full);
    expect(bytes.equals(before)).toBe(true);
    expect(requestDeserialize(message.bytes).records).toHaveLength(21);
  });
});
