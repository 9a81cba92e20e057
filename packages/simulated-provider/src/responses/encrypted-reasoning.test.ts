import { expect, it } from 'vitest';
import { decryptReasoning, encryptReasoning } from './encrypted-reasoning.ts';

it('encrypted reasoning can be read again, and a change of any character is noticed', () => {
  const encrypted = encryptReasoning('rs_1', 'I think "ä".');
  expect(decryptReasoning(encrypted)).toEqual({ id: 'rs_1', thinking: 'I think "ä".' });
  for (let at = 0; at < encrypted.length; at += 1) {
    const other = encrypted[at] === 'A' ? 'B' : 'A';
    expect(decryptReasoning(encrypted.slice(0, at) + other + encrypted.slice(at + 1))).toBeUndefined();
  }
  for (const content of ['', 'gAAAA', `${encrypted}.`, `${encrypted}=`, encrypted.slice(1)]) {
    expect(decryptReasoning(content)).toBeUndefined();
  }
});
