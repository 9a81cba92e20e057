import { expect, it } from 'vitest';
import { unpricedOfMessages } from './unpriced.ts';

it('a tool of Messages whose type is spelt in another way needs a price that no model has', () => {
  const tools = [
    { name: 'a', input_schema: {} },
    { name: 'web_search', Type: 'web_search_20250305' },
  ];
  expect(unpricedOfMessages({ tools })).toEqual([
    { param: 'tools[1].type', advice: expect.stringMatching(/\.$/) },
  ]);
  expect(unpricedOfMessages({ tools: [{ name: 'a', type: 'custom' }] })).toEqual([]);
});
