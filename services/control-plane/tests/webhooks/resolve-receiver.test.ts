import { createSocket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { receiverResolver } from '../../src/webhooks/resolve-receiver.ts';

const HEADER_BYTES = 12;
/** Type of a question for IPv4 addresses. */
const A = 1;
const socket = createSocket('udp4');
let silences = 0;

/** Answers with addresses for names of `known`, not for those of `silent`, and that others do not exist. */
socket.on('message', (query, { address, port }) => {
  const question = query.subarray(HEADER_BYTES, query.indexOf(0, HEADER_BYTES) + 5);
  if (question.includes('silent')) {
    silences++;
    return;
  }
  const isKnown = question.includes('known');
  const type = question.readUInt16BE(question.length - 4);
  const data = type === A ? Buffer.from([93, 184, 216, 34]) : Buffer.alloc(16, 0x26);
  const record = Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, data.length]), data]);
  const flags = [0x81, isKnown ? 0x80 : 0x83];
  const header = Buffer.from([...query.subarray(0, 2), ...flags, 0, 1, 0, isKnown ? 1 : 0, 0, 0, 0, 0]);
  socket.send(Buffer.concat([header, question, ...(isKnown ? [record] : [])]), port, address);
});
socket.bind(0, '127.0.0.1');
await once(socket, 'listening');
afterAll(() => socket.close());

function resolver(asksSystem: boolean): (hostname: string) => Promise<LookupAddress[]> {
  return promisify(receiverResolver({ asksSystem, servers: [`127.0.0.1:${socket.address().port}`] }));
}

it('names whose DNS server is silent delay no other', async () => {
  const resolve = resolver(false);
  const silent = Array.from({ length: 20 }, (_, number) => resolve(`${number}.silent.example`));
  const first = Promise.any(silent).catch(() => 'none');
  expect(await resolve('hooks.known.example')).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '2626:2626:2626:2626:2626:2626:2626:2626', family: 6 },
  ]);
  expect(silences).toBeGreaterThan(0);
  expect(await Promise.race([first, 'waiting'])).toBe('waiting');
});

it('names without a dot are those of the system, and others only where its networks are allowed', async () => {
  const loopback = expect.arrayContaining([expect.objectContaining({ address: '127.0.0.1' })]);
  expect(await resolver(false)('localhost')).toEqual(loopback);
  await expect(resolver(false)('nobody.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  // The system reads it as an address.
  await expect(resolver(false)('127.1.')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});
