import { z } from 'zod';

const milliseconds = z.int().min(1).max(3_600_000);

const connect = milliseconds.describe('Until a connection is there, with TLS.');
const firstByte = milliseconds.describe('Of streams: until the first event.');
const idle = milliseconds.describe('Of streams: from one event to the next.');
const total = milliseconds.describe('Of answers that are not streamed: until the last byte.');
const firstBytePlain = milliseconds.describe(
  'Of answers that are not streamed: until the provider sends anything, ' +
    'which many do only with the whole answer. Left out, or longer than `total`: `total` alone counts.',
);

/**
 * The time limits of a provider. Time in which the provider waits for the gateway or for the caller does not
 * count.
 */
export const providerTimeouts = z.strictObject({
  connect: connect.default(5_000),
  first_byte: firstByte.default(60_000),
  idle: idle.default(60_000),
  total: total.default(600_000),
  first_byte_plain: firstBytePlain.optional(),
});

/** The time limits that are different for one model. */
export const modelTimeouts = z.strictObject({
  connect: connect.optional(),
  first_byte: firstByte.optional(),
  idle: idle.optional(),
  total: total.optional(),
  first_byte_plain: firstBytePlain.optional(),
});
export type ModelTimeouts = z.infer<typeof modelTimeouts>;
