import { GatewayError } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { scanJson, TooManyValues } from './scan-json.ts';

function refusal(text: string): string {
  try {
    scanJson(text);
  } catch (error) {
    if (error instanceof GatewayError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('scanJson', () => {
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
  ])('the scan refuses %.40s', (text, message) => {
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
  ])('the scan accepts %s', (text) => {
    expect(refusal(text)).toBe('accepted');
  });

  it('60,000 integer-like keys take no longer than other keys', () => {
    const tookMs = (name: (index: number) => string) => {
      const text = `{${Array.from({ length: 60_000 }, (_, index) => `"${name(index)}":1`).join(',')}}`;
      const before = process.cpuUsage();
      expect(refusal(text)).toBe('accepted');
      return process.cpuUsage(before).user / 1_000;
    };
    const ordinaryMs = tookMs((index) => `key${index}`);
    expect(tookMs((index) => String((index * 7919) % 4_294_967_295))).toBeLessThan(500 + 10 * ordinaryMs);
  });

  it.each([
    ['numbers', '1,', 4_000_000],
    ['texts', '"",', 1_000_000],
    ['objects', '{},', 200_000],
  ])('a request may have so many %s and no more', (_what, unit, most) => {
    // The array around them counts as one more.
    const of = (count: number) => `[${unit.repeat(count - 1)}${unit.slice(0, -1)}]`;
    const around = unit === '{},' ? 1 : 0;
    expect(refusal(of(most - around))).toBe('accepted');
    expect(refusal(of(most - around + 1))).toContain(`has more than ${most} `);
  });

  it('the scan says when a text takes more than one turn, before it has read all of it', () => {
    expect(() => scanJson('[1,2,3,4]', 5)).not.toThrow();
    expect(() => scanJson('[1,2,3,4,5]', 5)).toThrow(TooManyValues);
  });
});
