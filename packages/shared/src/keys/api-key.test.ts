import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { adminKeyToken } from './admin-key.ts';
import { generateApiKey, isWellFormedApiKey } from './api-key.ts';
import { base62 } from './base62.ts';
import { displayPrefix } from './checked-token.ts';
import { labelledHash, lookupHash, pepperFingerprint } from './lookup-hash.ts';

describe('API keys', () => {
  it('are gw_live_, 43 secret characters and the CRC-32 of those 51', () => {
    const key = generateApiKey();
    expect(key).toMatch(/^gw_live_[0-9A-Za-z]{49}$/);
    expect(key.slice(51)).toBe(base62(BigInt(crc32(key.slice(0, 51))), 6));
    expect(isWellFormedApiKey(key)).toBe(true);
  });

  it('have the checksum of the specification, computed elsewhere', () => {
    // Reference: zlib.crc32 of Python 3 over the first 51 characters, in base62.
    expect(isWellFormedApiKey('gw_live_0000000000000000000000000000000000000000001094gio')).toBe(true);
  });

  it('are refused without a look-up when one character differs', () => {
    const key = generateApiKey();
    for (const position of [8, 20, 50, 51, 56]) {
      const other = key[position] === 'A' ? 'B' : 'A';
      expect(isWellFormedApiKey(key.slice(0, position) + other + key.slice(position + 1))).toBe(false);
    }
    expect(isWellFormedApiKey(`${key} `)).toBe(false);
    expect(isWellFormedApiKey(key.slice(0, -1))).toBe(false);
    expect(isWellFormedApiKey(key.toUpperCase())).toBe(false);
  });

  it('show their first 16 characters in lists', () => {
    const key = generateApiKey();
    expect(displayPrefix(key)).toBe(key.slice(0, 16));
  });

  it('are stored as v2: and a hex HMAC-SHA256 under the pepper', () => {
    // Reference: printf 'key' | openssl dgst -sha256 -hmac 'pepper'
    expect(lookupHash('pepper', 'key')).toBe(
      'v2:23e49db7721548ac8aa1dfcce7a931f57b045fb1b72bf44c1eefa9f60a7bc3f8',
    );
    expect(pepperFingerprint('a')).not.toBe(pepperFingerprint('b'));
  });
});

describe('admin keys', () => {
  it('are gw_admin_, 43 secret characters and the CRC-32 of those 52', () => {
    const key = adminKeyToken.generate();
    expect(key).toMatch(/^gw_admin_[0-9A-Za-z]{49}$/);
    expect(key.slice(52)).toBe(base62(BigInt(crc32(key.slice(0, 52))), 6));
    expect(adminKeyToken.isWellFormed(key)).toBe(true);
    expect(adminKeyToken.isWellFormed(`${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`)).toBe(false);
    expect(isWellFormedApiKey(key)).toBe(false);
    expect(adminKeyToken.isWellFormed(generateApiKey())).toBe(false);
  });

  it('are stored under a label of their own', () => {
    // Reference: printf 'admin key\0key' | openssl dgst -sha256 -hmac 'pepper'
    expect(labelledHash('pepper', 'admin key', 'key')).toBe(
      'v2:a48660b676358ab368c000f3fadf9f523d16fb4cac20610816a4a19d523f417d',
    );
    expect(labelledHash('pepper', 'admin key', 'key')).not.toBe(lookupHash('pepper', 'key'));
  });
});
