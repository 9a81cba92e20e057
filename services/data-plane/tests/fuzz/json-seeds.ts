export const JSON_SEEDS: readonly string[] = [
  '{"model":"gpt","messages":[{"role":"user","content":"hello"}],"stream":true}',
  '{"id":"a","model":"m","choices":[{"index":0,"delta":{"content":"b"}}],"usage":null}',
  '{"n":[0,-1,1.5,1e3,-0,12345678901234567890,1e400],"t":true,"f":false,"z":null}',
  '{"a":"\\u0041\\/\\n\\"\\\\","\\u0061b":{"c":[[],{}]},"usage":{"prompt_tokens":1}}',
  ' { "model" : "x" , "usage" : [ 1 , { "b" : 2 } ] , "id" : "y" } ',
  '[{"a":1},[2,[3]],"four"]',
  '{}',
  '[]',
  '"text"',
  '9007199254740993',
];

export const JSON_TOKENS: readonly string[] = [
  ...'{}[]:,"\\0-. \n\t',
  '""',
  '{}',
  '[]',
  '":',
  ',"model":"y"',
  '"usage":1,',
  '"__proto__":1,',
  '"constructor":{"prototype":1}',
  'true',
  'null',
  '1e9',
  'e+400',
  '12345678901234567890',
  '\\u',
  '\\u0041',
  '\\ud800',
  '\\udc00',
  '\\ud83d\\ude00',
  '\\"',
  '\\\\',
  '\ufeff',
  '\u0000',
  '[[[[',
  ']]]]',
  '{"a":',
  '\u00e9',
];

/** Returns what `JSON.parse` makes of a text; undefined: it is no JSON. */
export function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
