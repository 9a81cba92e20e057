import { GatewayError } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { scanJson } from './scan-json.ts';

function refusal(text: string): string {
  try {
    scanJson(text);
  } catch (error) {
    if (error instanceof GatewayError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('scanning JSON', () => {
  it.each([
    ['{"a":1,"a":2}', /key "a" twice/],
    ['{"a":1,"\\u0061":2}', /key "a" twice/],
    ['{"x":{"b":[{"c":1,"c":1}]}}', /key "c" twice/],
    ['{"__proto__":{"x":1}}', /__proto__/],
    ['{"m":[{"__proto__":1}]}', /__proto__/],
    ['{"\\u005f_proto__":1}', /__proto__/],
    ['{"constructor":{"prototype":{}}}', /constructor/],
    ['{"m":{"constructor":{"prototype":{}}}}', /prototype/],
    ['{"n":1e400}', /out of range/],
    ['{"n":[-1e999]}', /out of range/],
    ['{"s":"\\ud83d"}', /surrogate/],
    ['{"s":"\\ude00\\ud83d"}', /surrogate/],
    ['{"s":"\\ud83d\\n"}', /surrogate/],
    [`${'['.repeat(5_000_000)}${']'.repeat(5_000_000)}`, /nests deeper/],
    ['{"open', /without an end/],
    ['{"\\u00zz":1}', /no valid JSON/],
  ])('refuses %.40s', (text, message) => {
    expect(refusal(text)).toMatch(message);
  });

  it.each([
    '{"tools":[{"function":{"parameters":{"properties":{"constructor":{"type":"string"}}}}}]}',
    '{"a":{"b":1},"c":{"b":1}}',
    '{"s":"\\ud83d\\ude00 \\\\ \\" {}[],:","t":"\\u00e9"}',
    '{"n":[1e308,-0.5e-400,12345678901234567890]}',
    ' [ {} , [ ] , "x" , null , true ] ',
    '"text"',
    'null',
  ])('accepts %s', (text) => {
    expect(refusal(text)).toBe('accepted');
  });

  it('stays fast with 60,000 integer-like keys', () => {
    const text = `{${Array.from({ length: 60_000 }, (_, index) => `"${(index * 7919) % 4_294_967_295}":1`).join(',')}}`;
    const parsedAtMs = performance.now();
    JSON.parse(text);
    const startedAtMs = performance.now();
    expect(refusal(text)).toBe('accepted');
    expect(performance.now() - startedAtMs).toBeLessThan(100 + 20 * (startedAtMs - parsedAtMs));
  });
});
