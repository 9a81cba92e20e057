import { z } from 'zod';

const milliseconds = z.int().min(1).max(3_600_000);

const connect = milliseconds.describe('To connect, TLS included.');
const firstByte = milliseconds.describe('For streams: until the first event.');
const idle = milliseconds.describe('For streams: between two events.');
const total = milliseconds.describe('For responses that are not streamed: until the last byte.');
const firstBytePlain = milliseconds.describe(
  'For responses that are not streamed: until the first byte, which many providers send only with the ' +
    'whole response. Left out, or longer than `total`: only `total` applies.',
);

/** The timeouts of a provider. Time in which it waits for the gateway or the caller does not count. */
export const providerTimeouts = z.strictObject({
  connect: connect.default(5_000),
  first_byte: firstByte.default(60_000),
  idle: idle.default(60_000),
  total: total.default(600_000),
  first_byte_plain: firstBytePlain.optional(),
});

/** The timeouts of a model that differ from its provider's. */
export const modelTimeouts = z.strictObject({
  connect: connect.optional(),
  first_byte: firstByte.optional(),
  idle: idle.optional(),
  total: total.optional(),
  first_byte_plain: firstBytePlain.optional(),
});
export type ModelTimeouts = z.infer<typeof modelTimeouts>;
