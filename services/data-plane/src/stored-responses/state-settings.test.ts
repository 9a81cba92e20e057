import { randomBytes } from 'node:crypto';
import { ConfigError } from '@model-gateway/service-kit';
import { describe, expect, it } from 'vitest';
import { parseDataPlaneConfig } from '../config.ts';

const REDIS_URL = 'redis://127.0.0.1:9';
const KEY = randomBytes(32).toString('hex');
const state = (more: Record<string, string>) =>
  parseDataPlaneConfig({ RESPONSES_STATE_TTL_S: '60', ...more }).responsesState;

function problemsOf(more: Record<string, string>): readonly string[] {
  try {
    state(more);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('the settings of stored responses', () => {
  it('store nothing unless a TTL is set', () => {
    expect(parseDataPlaneConfig({}).responsesState).toBeUndefined();
    expect(parseDataPlaneConfig({ REDIS_URL, RESPONSES_STATE_KEY: KEY }).responsesState).toBeUndefined();
    expect(state({ REDIS_URL, RESPONSES_STATE_KEY: KEY })).toMatchObject({
      ttlMs: 60_000,
      redisUrl: REDIS_URL,
    });
  });

  it.each([32, 33, 34, 48])('accept a key of %d bytes in hexadecimal, base64 or base64url', (length) => {
    const key = randomBytes(length);
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      expect(state({ REDIS_URL, RESPONSES_STATE_KEY: key.toString(encoding) })?.key).toEqual(key);
    expect(state({ REDIS_URL, RESPONSES_STATE_KEY: key.toString('hex').toUpperCase() })?.key).toEqual(key);
  });

  it('require a key and Redis, and the message names what to set', () => {
    const needsKey =
      'RESPONSES_STATE_TTL_S needs RESPONSES_STATE_KEY: set it to what "openssl rand -hex 32" prints, ' +
      'the same in every data plane';
    const needsRedis = 'RESPONSES_STATE_TTL_S needs REDIS_URL: set it to a Redis that all data planes share';
    expect(problemsOf({})).toEqual([needsKey, needsRedis]);
    expect(problemsOf({ RESPONSES_STATE_KEY: KEY })).toEqual([needsRedis]);
    expect(problemsOf({ REDIS_URL })).toEqual([needsKey]);
  });

  it.each(['secret', '0f'.repeat(31), 'c2VjcmV0', 'neither base64 nor hexadecimal, but long enough!'])(
    'refuse %j as a key',
    (short) => {
      expect(problemsOf({ REDIS_URL, RESPONSES_STATE_KEY: short })).toEqual([
        'RESPONSES_STATE_KEY: expected at least 32 random bytes as 64 hexadecimal digits or base64, such as ' +
          '"openssl rand -hex 32" prints',
      ]);
    },
  );

  it.each(['0', '-1', '1.5', '2592001', 'a day'])('refuse %j as a TTL', (time) => {
    expect(problemsOf({ REDIS_URL, RESPONSES_STATE_KEY: KEY, RESPONSES_STATE_TTL_S: time })).toEqual([
      expect.stringMatching(/^RESPONSES_STATE_TTL_S: expected/),
    ]);
  });
});
