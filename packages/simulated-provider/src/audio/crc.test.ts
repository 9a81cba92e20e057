import { expect, it } from 'vitest';
import { crc } from './crc.ts';

/** The catalogue of parametrised CRC algorithms gives these check values for "123456789". */
it.each([
  ['CRC-8/SMBUS', 8, 0x07, 0xf4],
  ['CRC-16/UMTS', 16, 0x8005, 0xfee8],
] as const)('%s has its published check value', (_name, bits, polynomial, check) => {
  expect(crc(Buffer.from('123456789'), bits, polynomial)).toBe(check);
});

it('CRC-32/CKSUM has its published check value, but for the final inversion', () => {
  expect(~crc(Buffer.from('123456789'), 32, 0x04c11db7) >>> 0).toBe(0x765e7680);
});
