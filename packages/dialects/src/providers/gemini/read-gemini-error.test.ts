import { describe, expect, it } from 'vitest';
import { geminiModelPath } from './gemini-model-path.ts';
import { readGoogleErrorDetails } from './read-gemini-error.ts';

const body = (details: object[]) =>
  JSON.stringify({ error: { code: 429, message: 'Quota.', status: 'RESOURCE_EXHAUSTED', details } });
const RETRY = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' };

describe('readGoogleErrorDetails', () => {
  it('reads the wait', () => {
    expect(
      readGoogleErrorDetails(body([{ '@type': 'other', retryDelay: '1s' }, RETRY])).retryAfterSeconds,
    ).toBe(34.4);
    for (const retryDelay of ['soon', '-1s', '1e9s', 7])
      expect(readGoogleErrorDetails(body([{ ...RETRY, retryDelay }])).retryAfterSeconds).toBeUndefined();
  });

  it('recognizes an invalid key behind a 400', () => {
    expect(readGoogleErrorDetails(body([{ reason: 'API_KEY_INVALID' }])).isAccessRefused).toBe(true);
    expect(readGoogleErrorDetails(body([{ reason: 'FIELD' }])).isAccessRefused).toBe(false);
    expect(readGoogleErrorDetails('<html>')).toEqual({ isAccessRefused: false });
  });
});

it('the path of a model is escaped', () => {
  expect(geminiModelPath('gemini-3-pro', 'generateContent')).toBe('/models/gemini-3-pro:generateContent');
  expect(geminiModelPath('tunedModels/a b?', 'generateContent')).toBe(
    '/tunedModels/a%20b%3F:generateContent',
  );
});
